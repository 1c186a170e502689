"""Jobs under the real Kueue and kube-scheduler, on nodes that KWOK plays."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.kubernetes.admission import LAYERS
from tests.kubernetes.server.client import wait
from tests.kubernetes.server.cluster import Cluster, cluster_of
from tests.kubernetes.server.control_plane import ControlPlane
from tests.kubernetes.server.profiles import design_of, profile


@pytest.fixture(scope="module")
def one_team(plane: ControlPlane) -> Iterator[Cluster]:
    with cluster_of(plane, design_of(profile())) as found:
        yield found


@pytest.mark.long
def test_a_job_is_admitted_as_a_whole_and_the_second_waits_and_then_runs(one_team: Cluster) -> None:
    first = one_team.submit("first", count=12)
    one_team.running(first, 12)
    second = one_team.submit("second", count=8)
    time.sleep(1)
    assert not one_team.is_admitted(second)
    assert one_team.pods(second) == []
    one_team.finish(first)
    one_team.running(second, 8)
    one_team.finish(second)


@pytest.mark.long
def test_a_job_uses_as_few_switches_as_its_nodes_need(one_team: Cluster) -> None:
    # 4 nodes below each leaf switch, 2 leaf switches below each one above
    jobs = [(one_team.submit(f"place-{count}", count=count), count) for count in (8, 4, 2)]
    for job, count in jobs:
        found = one_team.running(job, count)
        assert len(one_team.switches(found, LAYERS[3])) == -(-count // 4)
        assert len(one_team.switches(found, LAYERS[2])) == 1
    for job, _ in jobs:
        one_team.finish(job)


@pytest.mark.long
def test_a_job_of_a_lost_node_moves_to_another_node(one_team: Cluster) -> None:
    job = one_team.submit("moves", count=4)
    before = one_team.running(job, 4)
    one_team.lose(before[0])

    def moved() -> bool:
        found = one_team.nodes(job)
        return len(found) == 4 and before[0] not in found

    wait(moved, "the job runs without the lost node", 120)
    one_team.finish(job)
    one_team.restore(before[0])


@pytest.mark.long
def test_eks_42_a_job_of_a_tainted_node_moves_and_does_not_return_to_it(one_team: Cluster) -> None:
    job = one_team.submit("tainted", count=4)
    before = one_team.running(job, 4)
    one_team.taint(before[0], "example.com/repair", "NoExecute")

    def moved() -> bool:
        found = one_team.nodes(job)
        return len(found) == 4 and before[0] not in found

    wait(moved, "the job runs without the tainted node", 120)
    one_team.finish(job)
