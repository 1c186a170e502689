"""How long things take on AWS: each figure is of a type that is played, and says where it is from."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from config.catalog.durations import declared_s, duration_s, durations, is_unpublished
from config.catalog.files import read
from scripts.cloud.resources.registry import modelled_types
from tests.tables import each_row
from tests.tools.catalogue.check import check

FOUND = durations()


@each_row("resource_type", sorted({*FOUND.rows, *FOUND.unpublished}))
def test_what_has_a_figure_or_is_known_to_lack_one_is_played(resource_type: str) -> None:
    assert resource_type in modelled_types()


@pytest.mark.parametrize("resource_type", sorted(FOUND.unpublished))
def test_what_nothing_is_published_of_has_no_figure(resource_type: str) -> None:
    actions = FOUND.unpublished[resource_type]
    assert [action for action in actions if declared_s(resource_type, action) is not None] == []


def test_an_action_without_a_figure_answers_at_once_on_the_clock() -> None:
    assert duration_s("AWS::FSx::FileSystem", "create") == 600
    assert duration_s("AWS::FSx::FileSystem", "delete") == duration_s("AWS::S3::Bucket", "create") == 3


def test_slow_is_what_has_a_figure_or_is_known_to_lack_one() -> None:
    assert FOUND.is_slow("AWS::FSx::FileSystem")
    assert is_unpublished("AWS::EC2::NatGateway", "create")
    assert FOUND.is_slow("AWS::EC2::NatGateway")
    # only its deletion has a figure
    assert not FOUND.is_slow("AWS::RDS::DBCluster")
    assert not FOUND.is_slow("AWS::S3::Bucket")


FAULTS: dict[str, tuple[str, Any, str]] = {
    "a source that is nowhere": (
        "rows", {"AWS::EC2::VPC": {"create_s": 17, "sources": ["NOBODY"]}}, "source NOBODY is not in"),
    "no source": ("rows", {"AWS::EC2::VPC": {"create_s": 17, "sources": []}}, "has no source"),
    "no figure": ("rows", {"AWS::EC2::VPC": {"sources": ["VPC-NAT"]}}, "no action has a figure"),
    "no time": ("rows", {"AWS::EC2::VPC": {"create_s": 0, "sources": ["VPC-NAT"]}}, "0 is no time"),
    "a field of nothing": (
        "rows", {"AWS::EC2::VPC": {"create_s": 1, "made_s": 1, "sources": ["VPC-NAT"]}},
        "is not a known field"),
    "both ways": ("unpublished", {"AWS::EC2::VPC": ["create"]}, "create has a figure"),
    "no action": ("unpublished", {"AWS::EC2::VPC": ["grow"]}, "grow is no action"),
    "a wait of what is quick": (
        "waits", [{"of": "AWS::S3::Bucket", "on": "AWS::EC2::VPC", "because": "x", "sources": ["VPC-NAT"]}],
        "nothing is known of how long AWS::S3::Bucket takes"),
    "a wait without a reason": (
        "waits", [{"of": "AWS::EC2::Subnet", "on": "AWS::EC2::VPC", "because": "", "sources": ["VPC-NAT"]}],
        "has no reason"),
    "a wait twice": (
        "waits",
        [{"of": "AWS::EC2::Subnet", "on": "AWS::EC2::VPC", "because": "x", "sources": ["VPC-NAT"]}] * 2,
        "is there twice"),
    "a chain of what nobody waits for": (
        "longer", [{"chain": ["AWS::EC2::VPC", "AWS::EC2::Subnet", "AWS::EC2::VPC"], "because": "x"}],
        "AWS::EC2::VPC waits for no AWS::EC2::Subnet"),
    "a chain without a reason": (
        "longer", [{"chain": ["AWS::EC2::VPC", "AWS::EC2::Subnet"], "because": ""}], "has no reason"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_the_table_is_reported(name: str) -> None:
    part, value, reported = FAULTS[name]
    docs = dict(copy.deepcopy(read()))
    document = dict(docs["durations"])
    document[part] = {**document[part], **value} if isinstance(value, dict) else value
    faults = [str(fault) for fault in check({**docs, "durations": document})]
    assert any(fault.startswith("durations.json") and reported in fault for fault in faults), faults
