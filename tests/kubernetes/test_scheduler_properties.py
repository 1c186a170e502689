"""Whatever groups and teams are: shares add up to the machines, jobs are placed whole or not at all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config.design.capacity.groups import GroupPlan
from config.design.kubernetes.scheduler.amounts import quantity
from config.design.kubernetes.scheduler.job_nodes import Work
from config.design.kubernetes.scheduler.jobs import gang_job
from config.design.kubernetes.scheduler.nodes import machines_of, reserved_cpu
from config.design.kubernetes.scheduler.part import part, shares_of
from tests.kubernetes.admission import LAYERS, nodes_of, place, within_quota
from tests.kubernetes.scheduling import (
    CONTROL_PLANES,
    SCHEDULERS,
    faults,
    kubernetes,
    machines,
    number,
    objects,
    of_kind,
)

TYPES = (
    "p5.4xlarge", "p5.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge", "p6-b300.48xlarge",
    "p6e-gb200.36xlarge", "m5.4xlarge",
)  # fmt: skip
NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
WORK = Work(image="train:1", command=("true",))


@st.composite
def clusters(draw: st.DrawFn) -> tuple[tuple[GroupPlan, ...], list[dict[str, Any]]]:
    """Groups, and teams whose shares of each group add up to no more than it has."""
    count = draw(st.integers(1, 3))
    groups = machines(
        *((f"g{i}", draw(st.sampled_from(TYPES)), draw(st.integers(1, 80))) for i in range(count))
    )
    teams: list[dict[str, Any]] = [{"name": f"t{i}", "shares": []} for i in range(draw(st.integers(1, 4)))]
    for group in groups:
        gpus = group.instance_type.gpu.count if group.instance_type.gpu else 0
        left = group.count
        for team in teams:
            nodes = draw(st.integers(0, left))
            if draw(st.booleans()):
                left -= nodes
                share: dict[str, Any] = {"group": group.name}
                by_gpus = bool(gpus) and draw(st.booleans())
                unit = gpus if by_gpus else 1
                most = draw(st.integers(0, nodes * unit))
                share["gpus" if by_gpus else "nodes"] = most
                if draw(st.booleans()):
                    share["borrow"] = draw(st.integers(0, 100))
                if draw(st.booleans()):
                    share["lend"] = draw(st.integers(0, most))
                team["shares"].append(share)
    return groups, teams


def of_queue(queue: dict[str, Any], key: str, found: Sequence[Any]) -> dict[tuple[str, str], int]:
    """The amounts of a queue by group and resource, those that are stated."""
    groups = {
        one["metadata"]["name"]: one["spec"]["nodeLabels"]["ultracluster/group"]
        for one in of_kind(found, "ResourceFlavor")
    }
    return {
        (groups[flavor["name"]], row["name"]): number(row[key])
        for group in queue["spec"]["resourceGroups"]
        for flavor in group["flavors"]
        for row in flavor["resources"]
        if key in row
    }


@settings(max_examples=30, deadline=None)
@given(clusters(), st.sampled_from(CONTROL_PLANES))
def test_quotas_of_all_queues_add_up_to_what_the_nodes_have(
    drawn: tuple[tuple[GroupPlan, ...], list[dict[str, Any]]], kind: str
) -> None:
    groups, teams = drawn
    orchestrator = kubernetes(kind, teams=teams)
    found = objects(part(orchestrator, groups))
    there = {
        (one.name, name): number(quantity(name, value))
        for one in shares_of(orchestrator, groups).machines
        for name, value in one.everything.items()
    }
    summed = dict.fromkeys(there, 0)
    for queue in (*of_kind(found, "ClusterQueue"), *of_kind(found, "Cohort")):
        for key, value in of_queue(dict(queue), "nominalQuota", found).items():
            summed[key] += value
    counted = {
        key for queue in of_kind(found, "Cohort") for key in of_queue(dict(queue), "nominalQuota", found)
    }
    assert {key: summed[key] for key in counted} == {key: there[key] for key in counted}
    # what is not counted, nobody has
    assert all(there[key] == 0 for key in there.keys() - counted)


@settings(max_examples=30, deadline=None)
@given(clusters())
def test_a_bound_holds_for_every_resource_and_nobody_lends_more_than_its_own(
    drawn: tuple[tuple[GroupPlan, ...], list[dict[str, Any]]],
) -> None:
    groups, teams = drawn
    found = objects(part(kubernetes(teams=teams), groups))
    declared = {team["name"]: {share["group"]: share for share in team["shares"]} for team in teams}
    for queue in of_kind(found, "ClusterQueue"):
        own, borrow, lend = (
            of_queue(dict(queue), key, found) for key in ("nominalQuota", "borrowingLimit", "lendingLimit")
        )
        shares = declared[queue["metadata"]["name"]]
        assert {group for group, _ in borrow} == {name for name, share in shares.items() if "borrow" in share}
        assert {group for group, _ in lend} == {name for name, share in shares.items() if "lend" in share}
        assert all(lend[key] <= own[key] for key in lend)
        for (group, name), value in borrow.items():
            if name == "nvidia.com/gpu" and "gpus" in shares[group]:
                assert value == 1000 * shares[group]["borrow"]


@settings(max_examples=20, deadline=None)
@given(clusters(), st.sampled_from(SCHEDULERS))
def test_every_object_is_valid_and_has_a_name_of_its_own(
    drawn: tuple[tuple[GroupPlan, ...], list[dict[str, Any]]], scheduler: str
) -> None:
    groups, teams = drawn
    found = objects(part(kubernetes(scheduler=scheduler, teams=teams), groups))
    names = [(one["kind"], one["metadata"].get("namespace"), one["metadata"]["name"]) for one in found]
    assert len(names) == len(set(names))
    assert [name for _, _, name in names if not NAME.fullmatch(name)] == []
    assert [fault for one in found for fault in faults(one)] == []


@settings(max_examples=20, deadline=None)
@given(clusters())
def test_a_volcano_queue_is_guaranteed_no_more_than_it_deserves_and_deserves_no_more_than_it_can_have(
    drawn: tuple[tuple[GroupPlan, ...], list[dict[str, Any]]],
) -> None:
    groups, teams = drawn
    for queue in of_kind(objects(part(kubernetes(scheduler="volcano", teams=teams), groups)), "Queue"):
        spec = queue["spec"]
        deserved = {name: number(value) for name, value in spec["deserved"].items()}
        least = {name: number(value) for name, value in spec.get("guarantee", {}).get("resource", {}).items()}
        most = {name: number(value) for name, value in spec.get("capability", {}).items()}
        assert all(least[name] <= deserved[name] for name in least)
        assert all(deserved[name] <= most[name] for name in most)


def test_the_kubelet_keeps_what_eks_images_say() -> None:
    # 6 % of the first core, 1 % of the second, 0.5 % of two more, 0.25 % of the others
    assert [reserved_cpu(cores * 1000) for cores in (1, 2, 4, 8, 192)] == [60, 70, 80, 90, 550]


def test_a_node_of_p6_b200_gives_what_it_has_but_for_the_systems() -> None:
    (one,) = machines_of(machines(("train", "p6-b200.48xlarge", 1)), kubernetes().scheduling, hyperpod=False)
    pods = one.node["pods"]
    assert one.node == {
        "cpu": 192_000 - 550,
        "memory": 2048 * 1024 - 5128 * 2 - (255 + 11 * pods) - 100,
        "nvidia.com/gpu": 8,
        "vpc.amazonaws.com/efa": 8,
        "hugepages-2Mi": 5128 * 2,
        "pods": pods,
        "ultracluster/imex-channel": 0,
    }


BIG = machines(("train", "p6-b200.48xlarge", 64))


@pytest.mark.parametrize("ready", [0, 1, 63, 64, 80])
def test_a_job_of_64_nodes_is_admitted_whole_or_not_at_all(ready: int) -> None:
    found = objects(part(kubernetes(), BIG))
    *_, job = gang_job(kubernetes(), BIG, WORK)
    (queue,) = of_kind(found, "ClusterQueue")
    assert within_quota(job, queue)
    placed = place(job, found, nodes_of(ready, per_leaf=8))
    if ready < 64:
        assert placed is None
        return
    assert placed is not None
    assert len({node.name for node in placed}) == 64


def test_a_job_over_more_nodes_than_the_team_has_is_not_admitted() -> None:
    teams = [{"name": "vision", "shares": [{"nodes": 63, "borrow": 0}]}]
    (queue,) = of_kind(objects(part(kubernetes(teams=teams), BIG)), "ClusterQueue")
    *_, job = gang_job(kubernetes(), BIG, WORK)
    assert not within_quota(job, queue)


@pytest.mark.parametrize(("pods", "layer"), [(2, 4), (8, 4), (9, 3), (32, 3), (33, 2), (64, 2)])
def test_a_job_stands_under_the_lowest_switch_that_holds_it(pods: int, layer: int) -> None:
    """A leaf holds 8 nodes, layer 3 has 4 leaves, layer 2 has 8."""
    *_, job = gang_job(kubernetes(), machines(("train", "p6-b200.48xlarge", pods)), WORK)
    nodes = sorted(nodes_of(128, per_leaf=8), key=lambda node: int(node.name[1:]) % 8)  # mixed
    placed = place(job, objects(part(kubernetes(), BIG)), nodes)
    assert placed is not None
    assert len({node.labels[LAYERS[layer - 1]] for node in placed}) == 1


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 8), min_size=1, max_size=12), st.integers(1, 12))
def test_a_pod_gets_a_whole_node_or_the_job_waits(busy: list[int], pods: int) -> None:
    nodes = nodes_of(len(busy), per_leaf=4, **{f"n{i}": taken for i, taken in enumerate(busy)})
    *_, job = gang_job(kubernetes(), machines(("train", "p6-b200.48xlarge", pods)), WORK)
    placed = place(job, objects(part(kubernetes(), BIG)), nodes)
    whole = {node.name for node in nodes if node.free["nvidia.com/gpu"] == 8000}
    assert (placed is not None) == (len(whole) >= pods)
    if placed is not None:
        assert {node.name for node in placed} <= whole
        assert len({node.name for node in placed}) == pods
