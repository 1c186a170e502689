"""As many nodes as PCS and HyperPod take: what is made of them does not grow with their number."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from config.cluster import load_cluster
from config.rules.kubernetes.size import bytes_of, resources_of
from scripts.cli.main import main
from scripts.tools.bench.grown import (
    HYPERPOD_NODES,
    PCS_NODES,
    gpu_group,
    many,
    with_hyperpod_nodes,
    with_pcs_nodes,
    write,
)
from tests.calls import calls_of
from tests.conftest import Synthesized

Tried = Callable[[str, str | None], Synthesized]
Grow = Callable[[Path, int], str]

MOST_RESOURCES, MOST_BYTES = 500, 1_000_000
"""Of a template that lies in S3 (https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html)."""
LARGEST = [
    pytest.param(with_pcs_nodes, PCS_NODES, id="pcs"),
    pytest.param(with_hyperpod_nodes, HYPERPOD_NODES, id="hyperpod"),
]
largest = pytest.mark.parametrize(("grow", "nodes"), LARGEST)


@pytest.mark.synth
@largest
def test_a_template_of_as_many_nodes_as_there_can_be_stays_within_the_limits(
    grow: Grow, nodes: int, tmp_path: Path, tried: Tried
) -> None:
    made = tried(grow(tmp_path, nodes), None)
    assert len(made.template["Resources"]) < MOST_RESOURCES / 2
    assert len(made.text.encode()) < MOST_BYTES / 2


@pytest.mark.long
@pytest.mark.synth
def test_a_template_grows_with_the_groups_and_not_with_the_nodes(tmp_path: Path, tried: Tried) -> None:
    one, all_of_them = (tried(with_hyperpod_nodes(tmp_path, nodes), None) for nodes in (1, HYPERPOD_NODES))
    assert len(one.template["Resources"]) == len(all_of_them.template["Resources"])
    assert len(all_of_them.text) == pytest.approx(len(one.text), rel=0.01)
    pcs = tried(with_pcs_nodes(tmp_path, PCS_NODES), None)
    groups = [g["Properties"] for g in pcs.resources("AWS::PCS::ComputeNodeGroup").values()]
    assert sum(group["ScalingConfiguration"]["MaxInstanceCount"] for group in groups) == PCS_NODES
    assert pcs.only("AWS::PCS::Cluster")["Size"] == "LARGE"
    few = tried(with_pcs_nodes(tmp_path, 10), None)
    assert len(few.template["Resources"]) == len(pcs.template["Resources"])


@largest
def test_one_node_more_than_a_service_takes_is_refused(grow: Grow, nodes: int, tmp_path: Path) -> None:
    assert load_cluster(grow(tmp_path, nodes)).design is not None
    refused = load_cluster(grow(tmp_path, nodes + 1))
    assert refused.design is None
    codes = {d.code for d in refused.diagnostics if d.stops}
    assert ("PCS020" if nodes == PCS_NODES else "PRO014") in codes


def with_kubernetes_nodes(
    folder: Path, kind: str, count: int, instance_type: str = "p6-b200.48xlarge"
) -> str:
    """The path of a profile of a Kubernetes cluster whose one compute group has that many nodes."""
    train = {**gpu_group("train", count), "instance_type": instance_type}
    return write(folder / f"{kind}-{count}.yaml", _of_kubernetes(kind, [train], 0))


def with_teams(folder: Path, kind: str, groups: int, teams: int) -> str:
    """The path of a profile of a Kubernetes cluster with so many groups of a node, and so many teams."""
    train = [gpu_group(f"train-{number}", 1) for number in range(groups)]
    return write(folder / f"{kind}-{groups}-{teams}.yaml", _of_kubernetes(kind, train, teams))


def _of_kubernetes(kind: str, train: list[dict[str, object]], teams: int) -> dict[str, object]:
    """Nodes in the largest subnet that there is, and a smaller one in a second zone."""
    system = {"name": "system", "role": "system", "instance_type": "m5.4xlarge", "count": 2}
    made, block = many([system, *train]), "100.65.0.0/20"
    network: Any = made["network"]
    second = {"id": "subnet-0123456789abcdef1", "cidr": block, "availability_zone_id": "usw2-az1"}
    network |= {"vpc_secondary_cidrs": [block], "subnets": [*network["subnets"], second]}
    scheduling = {"teams": [{"name": f"team-{number}"} for number in range(teams)]}
    return made | {"orchestrator": {"kind": kind, "scheduling": scheduling}}


def under(kind: str, instance_type: str = "p6-b200.48xlarge") -> Grow:
    """Nodes of a Kubernetes cluster; what one subnet holds of them is the most that there is."""
    return lambda folder, nodes: with_kubernetes_nodes(folder, kind, nodes, instance_type)


MANY = {"eks": 400, "hyperpod-eks": 1024}


@pytest.mark.sample(1)
@pytest.mark.synth
@pytest.mark.parametrize("kind", MANY)
def test_a_template_of_kubernetes_does_not_grow_with_the_nodes(
    kind: str, tmp_path: Path, tried: Tried
) -> None:
    few, large = (tried(with_kubernetes_nodes(tmp_path, kind, nodes), None) for nodes in (4, MANY[kind]))
    assert len(few.template["Resources"]) == len(large.template["Resources"])
    assert len(large.text) == pytest.approx(len(few.text), rel=0.01)


@pytest.mark.parametrize("kind", MANY)
def test_more_nodes_than_a_subnet_has_addresses_for_are_refused(kind: str, tmp_path: Path) -> None:
    refused = load_cluster(with_kubernetes_nodes(tmp_path, kind, 2048))
    assert {d.code for d in refused.diagnostics if d.stops} == {"NET002"}
    fewer = with_kubernetes_nodes(tmp_path, "hyperpod-eks", 2048, "g6.xlarge")
    assert load_cluster(fewer).design is not None


@pytest.mark.long
@pytest.mark.synth
@pytest.mark.parametrize(("kind", "groups", "teams"), [("eks", 8, 20), ("hyperpod-eks", 10, 20)])
def test_groups_and_teams_that_are_accepted_stay_within_a_stack(
    kind: str, groups: int, teams: int, tmp_path: Path, tried: Tried
) -> None:
    path = with_teams(tmp_path, kind, groups, teams)
    design = load_cluster(path).design
    assert design is not None
    assert design.eks is not None
    made = tried(path, None)
    assert len(made.template["Resources"]) - resources_of(design.eks) < 100
    # what the rule reckons is what is written, beside network, storage and observability
    assert 40_000 < len(made.text) - bytes_of(design.eks) < 180_000
    assert len(made.template["Resources"]) < 400
    assert len(made.text) < 700_000


@pytest.mark.parametrize("kind", MANY)
def test_groups_and_teams_that_no_stack_holds_are_refused_before_synth(kind: str, tmp_path: Path) -> None:
    refused = load_cluster(with_teams(tmp_path, kind, 64, 50))
    assert [d.code for d in refused.diagnostics if d.stops] == ["KUB014"]


@pytest.mark.sample(2)
@pytest.mark.parametrize("verb", ["validate", "plan"])
@pytest.mark.parametrize(
    ("grow", "few", "many"),
    [
        (with_pcs_nodes, 200, PCS_NODES),
        (with_hyperpod_nodes, 20, HYPERPOD_NODES),
        (under("eks"), 20, MANY["eks"]),
        (under("hyperpod-eks", "g6.xlarge"), 20, 2048),
    ],
)
def test_a_command_does_as_much_for_many_nodes_as_for_few(
    verb: str, grow: Grow, few: int, many: int, tmp_path: Path
) -> None:
    paths = [grow(tmp_path, nodes) for nodes in (few, many)]
    for path in paths:  # what is read once is read
        run(verb, path)
    small, large = (calls_of(partial(run, verb, path)) for path in paths)
    assert small > 1000
    assert large == pytest.approx(small, rel=0.05)


def run(verb: str, path: str) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        assert main([verb, path]) == 0
