"""Public failures of ParallelCluster: its package's current behaviour, and ultracluster's configuration."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.rules.planting import codes_of_template, errors
from tests.slurm.parallelcluster.cases import P5, Machines, comparisons
from tests.slurm.parallelcluster.launch_templates import group_of, loaded
from tests.slurm.parallelcluster.launches import launch
from tests.slurm.parallelcluster.package.queries import Answers, Json

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

B300 = Machines(instance_type="p6-b300.48xlarge", capacity="on-demand")
GB200 = Machines(instance_type="p6e-gb200.36xlarge", capacity="capacity-block")
PLACED = "PlacementGroupCapacityTypeValidator"
HINT = "EfaPlacementGroupValidator"


@pytest.fixture(scope="module")
def templates(pcluster: Answers) -> Mapping[Machines, Json]:
    return {
        one: pcluster.by_name[name].launch_templates[key]
        for name, (_, machines) in comparisons().items()
        for key, one in machines.items()
    }


def test_our_rules_refuse_no_template_of_parallelcluster(templates: Mapping[Machines, Json]) -> None:
    refused = {str(one): codes for one, data in templates.items() if (codes := codes_of_template(data))}
    assert refused == {}


def test_slurm_01_card_0_of_p6_b300_is_ena_only_in_both_and_efa_there_is_refused(
    templates: Mapping[Machines, Json], tmp_path: Path
) -> None:
    data, cluster = templates[B300], loaded(tmp_path, B300)
    assert cluster.design is not None
    layout = group_of(cluster.design).layout
    assert layout is not None
    cards = {i.network_card_index for i in layout.interfaces if i.interface_type.has_efa}
    assert cards == {card for card, kind in launch(data).devices if kind != "interface"} == set(range(1, 17))
    extra = {"NetworkCardIndex": 0, "DeviceIndex": 1, "InterfaceType": "efa-only", "Groups": ["sg-1"]}
    planted = {**data, "NetworkInterfaces": [*data["NetworkInterfaces"], extra]}
    assert "EFA002" in codes_of_template(planted)


def test_slurm_02_odd_cards_of_gb200_are_efa_only_at_device_0_in_both(
    templates: Mapping[Machines, Json], tmp_path: Path
) -> None:
    cluster = loaded(tmp_path, GB200)
    assert cluster.design is not None
    layout = group_of(cluster.design).layout
    assert layout is not None
    ours = {(i.network_card_index, i.interface_type.value): i.device_index for i in layout.interfaces}
    theirs = launch(templates[GB200]).devices
    assert ours.items() <= theirs.items()
    assert {place: device for place, device in theirs.items() if place[0] % 2} == {
        (card, "efa-only"): 0 for card in range(1, 17, 2)
    }


def test_slurm_04_a_type_that_only_the_reservation_tells_is_lost_with_it_and_ours_is_always_said(
    pcluster: Answers, templates: Mapping[Machines, Json], tmp_path: Path
) -> None:
    assert pcluster.by_name["untyped"].error is None
    assert "does not exist" in (pcluster.by_name["untyped-gone"].error or "")
    assert all(data["InstanceType"] == one.instance_type for one, data in templates.items())
    assert errors(loaded(tmp_path, P5["odcr"])) == set()
    assert "PRO013" in errors(loaded(tmp_path, P5["odcr"], instance_type=None))


def test_slurm_06_ec2_06_a_placement_group_on_a_block_is_warned_of_there_and_refused_here(
    pcluster: Answers, tmp_path: Path
) -> None:
    (reported,) = pcluster.by_name["placed-block"].failures_of(PLACED)
    assert reported.level == "WARNING"
    assert "placement group constraint should not be set" in reported.message
    assert "CAP015" in errors(loaded(tmp_path, P5["capacity-block"], placement_group={"kind": "new"}))


def test_ec2_06_nothing_hints_at_a_placement_group_on_a_block(pcluster: Answers, tmp_path: Path) -> None:
    assert [failure.level for failure in pcluster.by_name["unsaid-on-demand"].failures_of(HINT)] == ["ERROR"]
    assert pcluster.by_name["unsaid-block"].failures_of(HINT) == []
    reported = loaded(tmp_path, P5["capacity-block"]).diagnostics
    assert [d.hint for d in reported if "placement" in d.hint] == []


def test_a_key_that_parallelcluster_does_not_know_is_a_schema_error(pcluster: Answers) -> None:
    (queue,) = pcluster.by_name["misspelt"].schema_errors["Scheduling"]["SlurmQueues"].values()
    assert queue["ComputeResources"]["0"]["Efa"] == {"Enable": ["Unknown field."]}
