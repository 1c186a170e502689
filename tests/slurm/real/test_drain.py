"""Slurm commands of `ultracluster drain` and `teardown` with a real Slurm."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from scripts.cli.lifecycle.scheduler import EVERYTHING, Scope
from scripts.cli.lifecycle.slurm import REASON, SlurmScheduler
from tests.slurm.real.conftest import conf_of
from tests.slurm.real.daemons import wait_until
from tests.slurm.real.slurm_cluster import Slurm

ONE = ("--exclusive", "--gres=gpu:8", "--partition=train", "-N1")
FIRST = Scope(nodes=("train-1",))


@dataclass(frozen=True)
class Here:
    """A shell on the host of Slurm."""

    slurm: Slurm
    programs: str = ""

    def run(self, command: str) -> str:
        return self.slurm.ask("sh", "-c", command)


@pytest.fixture(scope="module")
def slurm() -> Iterator[Slurm]:
    with Slurm(conf_of("p5", nodes=3)) as running:
        yield running


@pytest.fixture
def scheduler(slurm: Slurm) -> Iterator[SlurmScheduler]:
    scheduler = SlurmScheduler(Here(slurm), lambda group, there: there)
    yield scheduler
    scheduler.cancel(EVERYTHING)
    scheduler.release(EVERYTHING)
    slurm.ask("scancel", "--state=PENDING", "--user=root")


@pytest.mark.long
def test_a_cluster_that_is_held_starts_neither_what_is_queued_nor_what_comes(
    slurm: Slurm, scheduler: SlurmScheduler
) -> None:
    running = slurm.submit("sleep 60", *ONE[:-1], "-N3", "--job-name=a|b c")
    slurm.wait_for(running, "RUNNING")
    queued = slurm.submit("true", *ONE)
    held = scheduler.hold(EVERYTHING)
    assert "partition train" in held
    assert scheduler.hold(EVERYTHING) == ()
    (job,) = scheduler.running(EVERYTHING)
    assert (job.id, job.name, job.nodes, job.user) == (str(running), "a|b c", 3, "root")
    assert "artition" in slurm.refused("sbatch", *ONE, "--wrap=true"), "nothing more is queued"
    scheduler.cancel(EVERYTHING)
    wait_until(lambda: not scheduler.running(EVERYTHING), slurm.reported)
    assert slurm.job(queued).state == "PENDING"
    assert scheduler.release(EVERYTHING) == held
    slurm.wait_for(queued, "COMPLETED")


@pytest.mark.long
def test_a_node_that_is_held_takes_no_jobs_and_what_runs_on_it_goes_on(
    slurm: Slurm, scheduler: SlurmScheduler
) -> None:
    running = slurm.submit("sleep 60", *ONE, "--nodelist=train-1")
    slurm.wait_for(running, "RUNNING")
    assert scheduler.hold(FIRST) == ("node train-1",)
    assert scheduler.hold(FIRST) == ()
    assert [job.id for job in scheduler.running(FIRST)] == [str(running)]
    assert scheduler.running(Scope(nodes=("train-2",))) == ()
    assert slurm.job(running).state == "RUNNING"
    assert slurm.node("train-1")["Reason"].startswith(REASON)
    queued = slurm.submit("true", *ONE, "--nodelist=train-1")
    scheduler.cancel(FIRST)
    wait_until(lambda: not scheduler.running(FIRST), slurm.reported)
    assert slurm.job(queued).state == "PENDING"
    assert scheduler.release(FIRST) == ("node train-1",)
    slurm.wait_for(queued, "COMPLETED")


def test_a_node_that_others_have_drained_keeps_its_reason_and_stays_drained(
    slurm: Slurm, scheduler: SlurmScheduler
) -> None:
    slurm.ask("scontrol", "update", "nodename=train-3", "state=drain", "reason=bad cable")
    assert scheduler.hold(Scope(nodes=("train-3",))) == ()
    assert scheduler.release(EVERYTHING) == ()
    node = slurm.node("train-3")
    assert "DRAIN" in node["State"]
    assert node["Reason"].startswith("bad cable")
    slurm.ask("scontrol", "update", "nodename=train-3", "state=resume")
