"""When steps of a deployment begin and end, and which decide: over any graph, and as a plan tells it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.catalog.durations import declared_s, durations
from config.cluster import load_cluster
from config.design.deployment.timing import Timed, longest_s, timed, total_s
from config.design.report.deployment import DeploymentReport
from config.design.report.plan import report

FS, LINK, VPC = "AWS::FSx::FileSystem", "AWS::FSx::DataRepositoryAssociation", "AWS::EC2::VPC"
NAT, BUCKET = "AWS::EC2::NatGateway", "AWS::S3::Bucket"
Graph = tuple[dict[str, str], dict[str, list[str]]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Resources in a random order, each after some of those before it."""
    names = draw(st.permutations([f"r{number}" for number in range(draw(st.integers(1, 9)))]))
    types = {name: draw(st.sampled_from((FS, LINK, VPC, NAT, BUCKET))) for name in names}
    needs = {
        name: draw(st.lists(st.sampled_from(names[:number]), unique=True)) if number else []
        for number, name in enumerate(names)
    }
    return types, needs


def end_s(name: str, types: Mapping[str, str], needs: Mapping[str, list[str]]) -> float:
    """By its definition: what it takes itself, after the last of what it needs."""
    own = declared_s(types[name], "create") or 0
    return own + max((end_s(other, types, needs) for other in needs[name]), default=0)


@given(graphs())
def test_a_step_begins_when_the_last_of_those_before_it_ends(graph: Graph) -> None:
    types, needs = graph
    found = {step.name: step for step in timed(types, needs)}
    slow = {name for name, kind in types.items() if durations().is_slow(kind)}
    assert set(found) == slow
    for name, step in found.items():
        assert step.end_s == end_s(name, types, needs)
        assert step.end_s - step.begin_s == (declared_s(step.type, "create") or 0)
        assert step.seconds == declared_s(step.type, "create")
    assert total_s(found.values()) == max((end_s(name, types, needs) for name in types), default=0)


@given(graphs())
def test_the_critical_steps_follow_each_other_from_the_beginning_to_the_end(graph: Graph) -> None:
    types, needs = graph
    steps = timed(types, needs)
    path = [step for step in steps if step.critical]
    assert bool(path) == bool(steps)
    if path:
        assert (path[0].begin_s, path[0].after) == (0, None)
        assert path[-1].end_s == total_s(steps)
        assert sum(step.end_s - step.begin_s for step in path) == total_s(steps)
    for before, after in pairwise(path):
        assert before.end_s == after.begin_s
        assert after.after == before.name
        assert before.name in all_below(after.name, needs)


def all_below(name: str, needs: Mapping[str, list[str]]) -> set[str]:
    return set(needs[name]) | {found for other in needs[name] for found in all_below(other, needs)}


@given(graphs(), st.randoms())
def test_the_order_in_which_resources_are_reported_changes_nothing(graph: Graph, random: object) -> None:
    types, needs = graph
    names = list(types)
    random.shuffle(names)  # type: ignore[attr-defined]  # hypothesis gives a random.Random
    again = timed({name: types[name] for name in names}, {name: needs[name][::-1] for name in names})
    assert again == timed(types, needs)


@given(graphs())
def test_a_wait_more_never_makes_a_deployment_shorter(graph: Graph) -> None:
    types, needs = graph
    before = total_s(timed(types, needs))
    whole = {name: list(needs)[: list(needs).index(name)] for name in needs}
    assert total_s(timed(types, whole)) >= before
    alone: dict[str, list[str]] = {name: [] for name in types}
    assert total_s(timed(types, alone)) == longest_s(timed(types, needs)) <= before


def test_what_has_no_figure_is_on_the_path_and_counts_for_nothing() -> None:
    types = {"vpc": VPC, "other": VPC, "address": "AWS::EC2::EIP", "nat": NAT}
    steps = timed(types, {"vpc": [], "other": [], "address": ["vpc"], "nat": ["address"]})
    assert [(step.name, step.end_s, step.critical) for step in steps] == [
        ("other", 17, False), ("vpc", 17, True), ("nat", 17, True),
    ]  # fmt: skip
    assert steps[-1] == Timed(
        name="nat", type=NAT, begin_s=17, end_s=17, seconds=None, critical=True, after="vpc"
    )


def test_a_deployment_of_short_things_has_no_steps() -> None:
    assert timed({"bucket": BUCKET}, {"bucket": []}) == ()
    assert (total_s(()), longest_s(())) == (0, 0)


def deployment(name: str, kind: str | None = None) -> DeploymentReport:
    design = load_cluster(name, orchestrator=kind).design
    assert design is not None
    found = report(design).deployment
    assert found is not None
    return found


def test_nodes_wait_for_the_link_that_carries_what_they_write_and_for_no_other() -> None:
    plan = deployment("p6-b200")
    assert [step.what for step in plan.path] == [
        "VPC", "subnet primary", "Lustre file system", "data repository association /checkpoints",
        "HyperPod cluster",
    ]  # fmt: skip
    assert plan.total_s == 17 + 10 + 600 + 175 + 1050
    assert plan.longest_s == 1050
    by_name = {step.what: step for step in plan.steps}
    assert by_name["data repository association /datasets"].begin_s == by_name["HyperPod cluster"].begin_s
    assert "not exported" in by_name["HyperPod cluster"].waits_because
    assert by_name["NAT gateway"] in plan.unpublished
    assert not by_name["NAT gateway"].published


def test_metrics_are_collected_without_waiting_for_nodes() -> None:
    for kind, nodes in (("eks", "node group system"), ("hyperpod-eks", "HyperPod cluster")):
        by_name = {step.what: step for step in deployment("p6-b200", kind).steps}
        assert by_name["metrics collector"].begin_s < by_name[nodes].end_s


def test_a_cluster_on_another_profiles_data_waits_for_none_of_it() -> None:
    plan = deployment("p6-b200-cluster")
    assert [step.what for step in plan.path] == ["HyperPod cluster"]
    assert plan.total_s == plan.longest_s == 1050


@pytest.mark.parametrize("kind", ["hyperpod-slurm", "hyperpod-eks", "eks", "pcs"])
def test_a_plan_as_data_has_every_step(kind: str) -> None:
    design = load_cluster("p6-b200", orchestrator=kind).design
    assert design is not None
    reported = report(design).as_dict()["deployment"]
    assert set(reported) == {"total_s", "longest_s", "steps"}
    assert {tuple(sorted(step)) for step in reported["steps"]} == {
        ("begin_s", "critical", "end_s", "published", "resource", "waits_because", "what"),
    }  # fmt: skip
    assert all(step["waits_because"] for step in reported["steps"] if step["begin_s"] > 0)
