"""Faulty and lost nodes with a real Slurm, prolog and epilog: their jobs continue on other nodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.slurm.real.conftest import conf_of
from tests.slurm.real.daemons import wait_until
from tests.slurm.real.machines import Machines
from tests.slurm.real.slurm_cluster import Slurm

pytestmark = pytest.mark.long

NODES = 5
FOUR = ("--exclusive", "--gres=gpu:8", "--ntasks-per-node=1", "--partition=train", "--nodes=4")
WHERE_IT_IS = "echo $SLURM_JOB_NODELIST; srun true"


@dataclass
class Cluster:
    slurm: Slurm
    machines: Machines

    def mended(self, name: str) -> None:
        """Restore the node's GPUs and resume the node, as an operator or the service does."""
        self.machines.gets_gpu(name)
        self.slurm.ask("scontrol", "update", f"nodename={name}", "state=resume")
        wait_until(lambda: self.slurm.node(name)["State"] == "IDLE", self.slurm.reported)

    def reason(self, name: str) -> str:
        """Return the drain reason of a node, without user and time."""
        return self.slurm.node(name).get("Reason", "").partition(" [")[0]


def cluster_of(kind: str, folder: Path) -> Iterator[Cluster]:
    conf = conf_of("p6-b200", kind, nodes=NODES)
    machines = Machines(folder, conf, kind)
    slurm = Slurm(conf, settings=machines.settings, impatient=True)
    machines.attach(slurm)
    with slurm:
        yield Cluster(slurm, machines)


@pytest.fixture(scope="module")
def hyperpod(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    yield from cluster_of("hyperpod-slurm", tmp_path_factory.mktemp("hyperpod"))


@pytest.fixture(scope="module")
def pcs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    yield from cluster_of("pcs", tmp_path_factory.mktemp("pcs"))


def test_well_nodes_run_a_job_between_prolog_and_epilog(pcs: Cluster) -> None:
    job = pcs.slurm.submit(WHERE_IT_IS, *FOUR)
    done = pcs.slurm.wait_for(job, "COMPLETED")
    assert done.restarts == 0
    assert pcs.slurm.output(job) == ["train-[1-4]"]
    assert [pcs.machines.said(name, "prolog") for name in done.nodes] == [[]] * 4


def test_on_pcs_a_node_with_a_bad_gpu_is_drained_and_its_job_completes_on_others(pcs: Cluster) -> None:
    pcs.machines.loses_gpu("train-2")
    job = pcs.slurm.submit(WHERE_IT_IS, *FOUR)
    done = pcs.slurm.wait_for(job, "COMPLETED")
    assert (done.restarts, done.nodes) == (1, ("train-1", "train-3", "train-4", "train-5"))
    assert "DRAIN" in pcs.slurm.node("train-2")["State"]
    assert pcs.reason("train-2") == "ultracluster gpu: 7 of 8 GPU devices found"
    # the node's check resumes it when it passes, without an operator
    pcs.machines.gets_gpu("train-2")
    pcs.machines.runs_health("train-2")
    wait_until(lambda: pcs.slurm.node("train-2")["State"] == "IDLE", pcs.slurm.reported)


def test_on_pcs_slurm_reboots_a_node_for_a_fault_that_stays_once_its_job_has_ended(pcs: Cluster) -> None:
    sleeps = pcs.slurm.submit("echo runs; sleep 300", "--nodelist=train-4", "--nodes=1", "--partition=train")
    # a job counts as running before the prolog has checked its node
    wait_until(lambda: pcs.slurm.output(sleeps) == ["runs"], pcs.slurm.reported)
    pcs.machines.loses_gpu("train-4")
    for _ in range(3):
        pcs.machines.runs_health("train-4")
    assert "REBOOT" in pcs.slurm.node("train-4")["State"]
    assert pcs.reason("train-4").endswith("7 of 8 GPU devices found (rebooted)")
    assert pcs.slurm.job(sleeps).state == "RUNNING"
    # this host cannot be rebooted
    pcs.slurm.ask("scontrol", "cancel_reboot", "train-4")
    pcs.machines.gets_gpu("train-4")
    pcs.slurm.ask("scancel", str(sleeps))
    pcs.slurm.wait_for(sleeps, "CANCELLED")
    pcs.machines.runs_health("train-4")
    wait_until(lambda: pcs.slurm.node("train-4")["State"] == "IDLE", pcs.slurm.reported)


def test_slurm_16_the_first_job_of_a_node_that_is_not_ready_starts_there_once_it_is(pcs: Cluster) -> None:
    pcs.machines.loses_gpu("train-2")
    job = pcs.slurm.submit(WHERE_IT_IS, "--nodelist=train-2", "--gres=gpu:8", "--partition=train")
    wait_until(lambda: pcs.slurm.job(job).restarts == 1, pcs.slurm.reported)
    assert "held" not in pcs.slurm.wait_for(job, "PENDING").reason.lower()
    pcs.machines.gets_gpu("train-2")
    pcs.machines.runs_health("train-2")
    done = pcs.slurm.wait_for(job, "COMPLETED", 60)
    assert (done.nodes, pcs.slurm.node("train-2")["State"]) == (("train-2",), "IDLE")


def test_on_hyperpod_it_fails_with_the_reason_by_which_the_service_reboots_it(hyperpod: Cluster) -> None:
    hyperpod.machines.loses_gpu("train-2")
    job = hyperpod.slurm.submit(WHERE_IT_IS, *FOUR)
    done = hyperpod.slurm.wait_for(job, "COMPLETED")
    assert (done.restarts, done.nodes) == (1, ("train-1", "train-3", "train-4", "train-5"))
    assert "DRAIN" in hyperpod.slurm.node("train-2")["State"]
    for _ in range(3):
        hyperpod.machines.runs_health("train-2")
    assert "FAIL" in hyperpod.slurm.node("train-2")["State"]
    assert hyperpod.reason("train-2") == "Action:Reboot"
    hyperpod.mended("train-2")


def test_a_gpu_that_breaks_during_a_job_takes_the_node_out_after_it(pcs: Cluster) -> None:
    device = pcs.slurm.folder / "dev" / "train-3" / "nvidia0"
    job = pcs.slurm.submit(
        f"rm {device}", "--nodelist=train-3", "--nodes=1", "--gres=gpu:8", "--partition=train"
    )
    assert pcs.slurm.wait_for(job, "COMPLETED").restarts == 0
    wait_until(lambda: "DRAIN" in pcs.slurm.node("train-3")["State"], pcs.slurm.reported)
    assert pcs.reason("train-3") == "ultracluster gpu: 7 of 8 GPU devices found"
    pcs.machines.gets_gpu("train-3", 0)
    pcs.machines.runs_health("train-3")
    wait_until(lambda: pcs.slurm.node("train-3")["State"] == "IDLE", pcs.slurm.reported)


def test_a_job_of_a_lost_node_goes_on_with_another_one(hyperpod: Cluster) -> None:
    slurm = hyperpod.slurm
    # like a training job that continues from its last checkpoint
    steps = slurm.folder / "out" / "checkpoint"
    script = f"""
      echo "from $(cat {steps} 2>/dev/null || echo 0)"
      [ -e {steps} ] || {{ echo 100 >{steps}; sleep 300; }}"""
    job = slurm.submit(script, "--requeue", *FOUR)
    slurm.wait_for(job, "RUNNING")
    wait_until(steps.exists, slurm.reported)
    lost = slurm.job(job).nodes[1]
    slurm.kill_node(lost)
    done = slurm.wait_for(job, "COMPLETED", 90)
    assert done.restarts == 1
    assert lost not in done.nodes
    first, cancelled, second = slurm.output(job)
    assert (first, second) == ("from 0", "from 100")
    assert "DUE TO NODE FAILURE" in cancelled
    assert hyperpod.reason(lost) == "Not responding"
    slurm.start_node(lost)
    wait_until(lambda: slurm.node(lost)["State"] == "IDLE", slurm.reported)
