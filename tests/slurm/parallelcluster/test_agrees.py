"""Comparison of launch templates with those of ParallelCluster's package, type by type."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from config.catalog import InterfaceType
from tests.slurm.parallelcluster.cases import MISTAKES, P5, TYPES, Machines, comparisons, sold, with_plain_efa
from tests.slurm.parallelcluster.explained import EXPLAINED
from tests.slurm.parallelcluster.launch_templates import launch_template_data
from tests.slurm.parallelcluster.launches import Launch, differences, launch
from tests.slurm.parallelcluster.package.queries import Answers, Json

pytestmark = [pytest.mark.long, pytest.mark.synth, pytest.mark.timeout(900)]

COMPARED = [*sold(), *with_plain_efa()]
EFA_OF_GB200 = (4, 16)
"""Interfaces with EFA of p6e-gb200: ultracluster's, and ParallelCluster's."""
OUR_MARKETS = {"capacity-block": "capacity-block"}
"""Market of a launch template by capacity; the node group requests Spot, not its template."""

THEIR_MARKETS = {**OUR_MARKETS, "spot": "spot"}
KNOWN_WARNINGS = {
    "AmiOsCompatibleValidator",
    "CustomAmiTagValidator",
    "EfaPlacementGroupValidator",
    "KeyPairValidator",
}
"""Warnings about the test's image and key, and about `PlacementGroup: {Enabled: false}`."""

every_machine = pytest.mark.parametrize("machines", COMPARED, ids=str)


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Mapping[Machines, Launch]:
    found = launch_template_data(tmp_path_factory.mktemp("profiles"), COMPARED)
    return {one: launch(data) for one, data in found.items()}


@pytest.fixture(scope="module")
def theirs(pcluster: Answers) -> Mapping[Machines, Launch]:
    return {
        one: launch(pcluster.by_name[name].launch_templates[key])
        for name, (_, machines) in comparisons().items()
        for key, one in machines.items()
    }


def efa(one: Launch) -> dict[int, str]:
    """Return the type of the EFA interface of each card that has one."""
    return {card: kind for card, kind in one.devices if InterfaceType(kind).has_efa}


def test_parallelcluster_accepts_all_that_is_compared(pcluster: Answers) -> None:
    for name in comparisons():
        answer = pcluster.by_name[name]
        assert (answer.schema_errors, answer.error) == ({}, None)
        assert {(failure.level, failure.validator) for failure in answer.failures} <= {
            ("WARNING", validator) for validator in KNOWN_WARNINGS
        }


def test_every_type_with_efa_and_a_public_layout_is_compared(theirs: Mapping[Machines, Launch]) -> None:
    assert {one.instance_type for one in theirs} == set(TYPES)
    assert {one.instance_type.split(".")[0] for one in theirs} == {
        "p4d", "p4de", "p5", "p5e", "p5en", "p6-b200", "p6-b300", "p6e-gb200", "g6", "g6e",
    }  # fmt: skip
    assert set(theirs) == set(COMPARED)


@every_machine
def test_every_difference_has_its_reason(
    machines: Machines, mine: Mapping[Machines, Launch], theirs: Mapping[Machines, Launch]
) -> None:
    explained = {row.difference for row in EXPLAINED if machines in row.machines(COMPARED)}
    assert set(differences(mine[machines], theirs[machines])) == explained


def test_every_reason_is_of_some_machine_and_has_its_source() -> None:
    for row in EXPLAINED:
        assert list(row.machines(COMPARED)), row.difference
        assert row.reason, row.difference
        assert row.source.startswith("https://"), row.difference


@every_machine
def test_both_begin_with_the_same_primary_interface(
    machines: Machines, mine: Mapping[Machines, Launch], theirs: Mapping[Machines, Launch]
) -> None:
    for one in (mine[machines], theirs[machines]):
        first = one.interfaces[0]
        assert (first["NetworkCardIndex"], first["DeviceIndex"]) == (0, 0)
        assert first["InterfaceType"] == mine[machines].interfaces[0]["InterfaceType"] != "efa-only"


@every_machine
def test_both_put_efa_of_the_same_kind_on_the_same_cards(
    machines: Machines, mine: Mapping[Machines, Launch], theirs: Mapping[Machines, Launch]
) -> None:
    here, there = efa(mine[machines]), efa(theirs[machines])
    if machines.instance_type == "p6e-gb200.36xlarge":
        assert (len(here), len(there)) == EFA_OF_GB200
        assert here.items() < there.items()
    else:
        assert here == there
        assert len(here) == TYPES[machines.instance_type].max_efa


@pytest.mark.parametrize("name", TYPES)
def test_the_layout_does_not_depend_on_how_a_machine_is_bought(
    name: str, mine: Mapping[Machines, Launch], theirs: Mapping[Machines, Launch]
) -> None:
    for side in (mine, theirs):
        bought = [side[one] for one in sold() if one.instance_type == name]
        assert all(one.interfaces == bought[0].interfaces for one in bought)


@pytest.mark.parametrize("name", TYPES)
def test_our_template_lists_the_layout_of_the_catalogue(name: str, mine: Mapping[Machines, Launch]) -> None:
    for one in (one for one in COMPARED if one.instance_type == name):
        assert mine[one].devices == {
            (interface.network_card_index, interface.interface_type.value): interface.device_index
            for interface in TYPES[name].layouts[one.layout].interfaces
        }


@every_machine
def test_market_and_reservation_are_those_of_the_way_it_is_bought(
    machines: Machines, mine: Mapping[Machines, Launch], theirs: Mapping[Machines, Launch]
) -> None:
    target: Json | None = None
    if machines.capacity in ("odcr", "capacity-block"):
        target = {"CapacityReservationTarget": {"CapacityReservationId": machines.reservation_id}}
    for one, markets in ((mine[machines], OUR_MARKETS), (theirs[machines], THEIR_MARKETS)):
        market = one.rest.get("InstanceMarketOptions", {}).get("MarketType")
        assert market == markets.get(machines.capacity)
        assert one.rest.get("CapacityReservationSpecification") == target
        assert "Placement" not in one.rest


def test_a_placement_group_that_is_asked_for_is_in_the_template(pcluster: Answers) -> None:
    (data,) = pcluster.by_name[MISTAKES["placed-on-demand"].name].launch_templates.values()
    assert launch(data).rest["Placement"].keys() == {"GroupName"}
    assert launch(data).rest["InstanceType"] == P5["on-demand"].instance_type
