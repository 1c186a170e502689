"""`ultracluster drain`: no new jobs, a wait for those that run, and a way back, under every orchestrator."""

from __future__ import annotations

from datetime import datetime

import pytest

from scripts.cli.lifecycle.drain import DrainOptions, drain
from scripts.cli.lifecycle.reporter import Reporter
from scripts.cli.lifecycle.scheduler import EVERYTHING, Scope
from scripts.cli.rehearsal.errors import RehearsalError
from tests.cli.lifecycle.deployed import DeployedCluster, Interrupt, as_events

pytestmark = [pytest.mark.cloud, pytest.mark.synth]

TRAIN = Scope(groups=("train",))


def drained(cluster: DeployedCluster, **options: object) -> None:
    drain(cluster.where, DrainOptions(**options), cluster.reported.teller)  # type: ignore[arg-type]  # its own fields


@pytest.mark.sample(1)
@pytest.mark.parametrize("scope", [EVERYTHING, TRAIN], ids=["everything", "group"])
def test_what_runs_ends_by_itself_and_nothing_else_starts_until_it_is_released(
    cluster: DeployedCluster, scope: Scope
) -> None:
    running = cluster.submit(duration_s=600)
    waiting = cluster.submit("next", after_s=60)
    drained(cluster, scope=scope)
    assert running.ended_at is not None
    assert running.due is not None
    assert running.ended_at >= running.due, "it was not cancelled"
    assert waiting.started_at is None
    assert "1 job still runs on 1 node: train" in cluster.reported.text
    assert "no jobs run" in cluster.reported.text
    cluster.simulation.advance(3600)
    assert waiting.started_at is None
    drained(cluster, scope=scope, release=True)
    cluster.simulation.advance(60)
    assert waiting.started_at is not None


def test_what_is_held_already_is_not_held_again(cluster: DeployedCluster) -> None:
    scheduler = cluster.scheduler
    for scope in (EVERYTHING, TRAIN):
        assert scheduler.hold(scope)
        assert scheduler.hold(scope) == ()
        assert scheduler.release(scope)
        assert scheduler.release(scope) == ()


def test_one_node_is_held_and_the_other_takes_jobs(cluster: DeployedCluster) -> None:
    first, second = cluster.nodes
    drained(cluster, scope=Scope(nodes=(first,)))
    kept, free = cluster.submit("kept"), cluster.submit("free", nodes=(second,))
    cluster.simulation.advance(60)
    assert (kept.is_running, free.is_running) == (False, True)


@pytest.mark.sample(1)
def test_at_the_deadline_it_refuses_and_cancels_nothing(cluster: DeployedCluster) -> None:
    job = cluster.submit(duration_s=None)
    with pytest.raises(RehearsalError, match=r"the deadline has passed and 1 job still runs: train"):
        drained(cluster, deadline="10m")
    assert job.is_running
    assert cluster.scheduler.hold(EVERYTHING) == (), "no new job starts meanwhile"


@pytest.mark.sample(1)
def test_jobs_are_cancelled_at_the_deadline_where_that_is_wanted(cluster: DeployedCluster) -> None:
    long, short = (
        cluster.submit(duration_s=None),
        cluster.submit("short", nodes=(cluster.nodes[1],), duration_s=60),
    )
    drained(cluster, deadline="10m", cancel_jobs=True)
    assert long.ended_at is not None
    assert short.due is not None
    assert short.ended_at is not None
    assert abs((short.ended_at - short.due).total_seconds()) <= 30, "it ended by itself"
    assert 600 <= (long.ended_at - long.starts_at).total_seconds() <= 660


def test_without_a_wait_it_returns_while_jobs_run(cluster: DeployedCluster) -> None:
    job = cluster.submit(duration_s=None)
    drained(cluster, wait=False)
    assert job.is_running


@pytest.mark.sample(1)
def test_a_hold_that_is_lost_is_set_again_while_jobs_are_waited_for(
    cluster: DeployedCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.submit(duration_s=1200)
    late = cluster.submit("late", after_s=900)
    scheduler, original = cluster.scheduler, cluster.simulation.advance
    lost: list[tuple[str, ...]] = []

    def advance(seconds: float) -> datetime:
        if not lost:
            lost.append(scheduler.release(EVERYTHING))
        return original(seconds)

    monkeypatch.setattr(cluster.simulation, "advance", advance)
    drained(cluster)
    assert "new jobs were allowed again in the meantime" in cluster.reported.text
    assert late.started_at is None


def test_a_group_that_the_profile_does_not_have_is_refused_with_those_that_it_has(
    cluster: DeployedCluster,
) -> None:
    with pytest.raises(RehearsalError, match=r"life has no group trian; .*train"):
        drained(cluster, scope=Scope(groups=("trian",)))


def test_a_node_that_is_not_there_is_refused(cluster: DeployedCluster) -> None:
    with pytest.raises(RehearsalError, match="no node nowhere"):
        drained(cluster, scope=Scope(nodes=("nowhere",)))


@pytest.mark.parametrize("deadline", ["", "soon", "10", "2027-01-18", "99999999999d"])
def test_a_deadline_that_cannot_be_read_is_refused_before_anything_is_held(
    cluster: DeployedCluster, deadline: str
) -> None:
    with pytest.raises(RehearsalError, match="is not a deadline"):
        drained(cluster, deadline=deadline)
    assert cluster.scheduler.hold(EVERYTHING), "nothing was held before"


def test_what_is_reported_is_an_object_a_line_for_machines(cluster: DeployedCluster) -> None:
    lines: list[str] = []
    cluster.submit(duration_s=90)
    drain(cluster.where, DrainOptions(), Reporter(as_json=True, object=lines.append))
    events = as_events(lines)
    assert [event["event"] for event in events][:2] == ["hold", "jobs"]
    assert [event["jobs"] for event in events if event["event"] == "jobs"][-1] == 0
    running = next(event for event in events if event["event"] == "jobs")
    assert running["running"][0]["name"] == "train"


@pytest.mark.sample(5)
@pytest.mark.parametrize("after", [1, 2, 3, 5, 8])
def test_a_drain_that_is_interrupted_goes_on_when_it_is_run_again(
    cluster: DeployedCluster, after: int
) -> None:
    job, late = cluster.submit(duration_s=120), cluster.submit("late", after_s=60)
    cluster.interrupt = Interrupt(after)
    try:
        drained(cluster)
    except KeyboardInterrupt:
        cluster.interrupt = None
        drained(cluster)
    cluster.interrupt = None
    cluster.simulation.advance(3600)
    assert job.ended_at is not None
    assert late.started_at is None


def test_where_the_api_answers_inside_the_vpc_alone_it_says_what_to_type_there(
    cluster: DeployedCluster,
) -> None:
    kind = cluster.profile["orchestrator"]["kind"]
    cluster.simulation.private.add(cluster.cluster_name)
    if kind in ("pcs", "hyperpod-slurm"):
        drained(cluster)  # nothing of it goes through an API of Kubernetes
        return
    with pytest.raises(RehearsalError, match="is reachable only from inside the VPC") as refused:
        drained(cluster)
    reported = str(refused.value)
    assert f"aws eks update-kubeconfig --region us-west-2 --name {cluster.cluster_name}" in reported
    assert "stopPolicy" in reported
    assert "kubectl cordon -l ultracluster/group=train" in reported
    drained(cluster, jobs_are_over=True)
    assert "assuming that no jobs run" in cluster.reported.text
