"""Comparison of the catalogue with EC2's DescribeInstanceTypes, as captured by moto."""

from __future__ import annotations

from typing import Any

import pytest

from config.catalog import catalog
from tests.slurm.parallelcluster.cases import TYPES
from tests.slurm.parallelcluster.package.queries import Answers
from tests.slurm.parallelcluster.package.records import instance_type_record

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

NOT_CAPTURED = {"p6e-gb200.36xlarge"}
USAGE = {"on-demand", "spot", "capacity-block"}


def test_one_type_alone_has_a_record_made_from_the_catalogue(pcluster: Answers) -> None:
    assert set(catalog().instances) - set(pcluster.captured) == NOT_CAPTURED


@pytest.mark.parametrize("name", sorted(catalog().instances.keys() - NOT_CAPTURED))
def test_cards_interfaces_addresses_processors_and_memory_are_those_of_ec2(
    name: str, pcluster: Answers
) -> None:
    reported, made = pcluster.instance_types[name], instance_type_record(catalog().instances[name])
    for part in ("VCpuInfo", "MemoryInfo", "NetworkInfo", "InstanceStorageSupported"):
        assert in_order(made[part]) == in_order(shared(reported[part], made[part])), part
    (arch,) = made["ProcessorInfo"]["SupportedArchitectures"]
    assert arch in reported["ProcessorInfo"]["SupportedArchitectures"]
    assert gpus(made) == gpus(reported)


@pytest.mark.parametrize("name", sorted(TYPES.keys() - NOT_CAPTURED))
def test_a_type_is_sold_in_the_ways_that_ec2_lists(name: str, pcluster: Answers) -> None:
    row, reported = TYPES[name], USAGE & set(pcluster.instance_types[name]["SupportedUsageClasses"])
    assert row.capacity_kinds & USAGE <= reported <= row.capacity_kinds | row.capacity_kinds_uncertain


def gpus(record: dict[str, Any]) -> list[int]:
    return [gpu["Count"] for gpu in record.get("GpuInfo", {}).get("Gpus", [])]


def shared(reported: Any, made: Any) -> Any:
    """Return a record without the keys that the catalogue does not have."""
    if isinstance(made, dict):
        return {key: shared(reported.get(key), value) for key, value in made.items()}
    if isinstance(made, list) and len(made) == len(reported):
        return [shared(*pair) for pair in zip(reported, made, strict=True)]
    return reported


def in_order(value: Any) -> Any:
    """Return a record with sorted lists: InterfaceTypes have no order."""
    if isinstance(value, dict):
        return {key: in_order(one) for key, one in value.items()}
    if isinstance(value, list):
        return sorted(value) if isinstance(value[0], str) else [in_order(one) for one in value]
    return value
