"""Jobs on 32 nodes with 8 GPUs each under three leaf switches, with a topology from EC2."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from config.design.slurm.topology import Topology, plan_topology, read_topology
from config.design.slurm.topology_files import topology_file
from config.design.slurm.topology_fit import fit
from tests.slurm.real.conftest import conf_of
from tests.slurm.real.daemons import wait_until
from tests.slurm.real.places import answer, leaf_name, names_of
from tests.slurm.real.slurm_cluster import Slurm

LEAVES = (10, 16, 6)
GPUS = ("--exclusive", "--gres=gpu:8", "--ntasks-per-node=1", "--partition=train")

P4D = """\
extends: p5
name: p4d
compute:
  groups:
    - {name: controller, role: controller, instance_type: m5.4xlarge, count: 1}
    - {name: train, role: compute, instance_type: p4d.24xlarge, count: 2}
"""


@pytest.fixture(scope="module")
def topology() -> Topology:
    conf = conf_of("p5", nodes=sum(LEAVES))
    return plan_topology(read_topology(answer(LEAVES), names_of(conf)))


@pytest.fixture(scope="module")
def slurm(topology: Topology) -> Iterator[Slurm]:
    conf = conf_of("p5", nodes=sum(LEAVES))
    with Slurm(conf, topology=topology_file(topology, conf.slurm_version)) as running:
        yield running


@pytest.mark.long
@pytest.mark.parametrize("orchestrator", ["hyperpod-slurm", "pcs"])
def test_slurm_14_jobs_run_on_p4d(orchestrator: str, tmp_path: Path) -> None:
    file = tmp_path / "p4d.yaml"
    file.write_text(P4D)
    conf = conf_of(str(file), orchestrator, nodes=2)
    with Slurm(conf) as running:
        job = running.submit("srun sh -c 'echo $CUDA_VISIBLE_DEVICES'", "-N2", *GPUS)
        assert running.wait_for(job, "COMPLETED").nodes == ("train-1", "train-2")
        assert running.output(job) == ["0,1,2,3,4,5,6,7"] * 2


def test_slurm_has_the_switches_that_ec2_reported(slurm: Slurm, topology: Topology) -> None:
    shown = slurm.ask("scontrol", "show", "topology").splitlines()
    assert len(shown) == len(topology.switches)
    for leaf in topology.leaves:
        (line,) = [line for line in shown if line.startswith(f"SwitchName={leaf.name} Level=0 ")]
        listed = slurm.ask("scontrol", "show", "hostnames", line.rpartition("Nodes=")[2]).split()
        assert tuple(listed) == leaf.nodes
    assert slurm.errors() == []


def test_a_job_of_16_nodes_has_8_gpus_on_each_and_stands_under_one_leaf(
    slurm: Slurm, topology: Topology
) -> None:
    job = slurm.submit("srun sh -c 'echo $SLURMD_NODENAME $CUDA_VISIBLE_DEVICES'", "-N16", *GPUS)
    done = slurm.wait_for(job, "COMPLETED")
    (leaf,) = [leaf for leaf in topology.leaves if leaf.name == leaf_name(1)]
    assert done.nodes == leaf.nodes
    assert sorted(slurm.output(job)) == sorted(f"{node} 0,1,2,3,4,5,6,7" for node in leaf.nodes)
    # nodes with consecutive names are under different leaves, so the result is not by chance
    assert "train-2" not in done.nodes or "train-3" not in done.nodes


@pytest.mark.long
@pytest.mark.parametrize("nodes", [6, 7, 11, 16])
def test_a_job_goes_where_ultracluster_says_that_it_fits(
    slurm: Slurm, topology: Topology, nodes: int
) -> None:
    expected = fit(topology, nodes)
    job = slurm.submit("true", f"-N{nodes}", *GPUS)
    chosen = set(slurm.wait_for(job, "COMPLETED").nodes)
    (under,) = [leaf.name for leaf in topology.leaves if chosen <= set(leaf.nodes)]
    assert under == expected.group


@pytest.mark.long
def test_a_job_that_no_leaf_holds_spans_as_many_as_ultracluster_says(
    slurm: Slurm, topology: Topology
) -> None:
    job = slurm.submit("true", "-N24", *GPUS)
    chosen = set(slurm.wait_for(job, "COMPLETED").nodes)
    assert len([leaf for leaf in topology.leaves if chosen & set(leaf.nodes)]) == fit(topology, 24).spans == 2


@pytest.mark.long
def test_a_job_for_one_leaf_waits_rather_than_spans(slurm: Slurm) -> None:
    first = slurm.submit("sleep 30", "-N1", f"--nodelist={slurm_leaf(slurm)[0]}", *GPUS)
    slurm.wait_for(first, "RUNNING")
    second = slurm.submit("true", "-N16", "--switches=1@10:00", *GPUS)
    # a job that may use several leaves fits on all other leaves
    third = slurm.submit("true", "-N16", *GPUS)
    slurm.wait_for(third, "COMPLETED")
    assert slurm.job(second).state == "PENDING"
    slurm.ask("scancel", str(first))
    assert set(slurm.wait_for(second, "COMPLETED").nodes) == set(slurm_leaf(slurm))


def slurm_leaf(slurm: Slurm) -> tuple[str, ...]:
    """Return the nodes of the leaf with 16 nodes."""
    shown = slurm.ask("scontrol", "show", "topology", leaf_name(1)).strip()
    return tuple(slurm.ask("scontrol", "show", "hostnames", shown.rpartition("Nodes=")[2]).split())


@pytest.mark.long
def test_a_job_that_takes_half_the_gpus_leaves_the_others(slurm: Slurm) -> None:
    script = "srun printenv CUDA_VISIBLE_DEVICES; sleep 20"
    options = ("--gres=gpu:4", "--nodelist=train-1", "-N1", "--ntasks=1", "--mem=1G", "--partition=train")
    jobs = [slurm.submit(script, *options) for _ in range(2)]
    seen = {_first_line(slurm, job) for job in jobs}
    slurm.ask("scancel", *map(str, jobs))
    assert seen == {"0,1,2,3", "4,5,6,7"}


def _first_line(slurm: Slurm, job: int) -> str:
    lines: list[str] = wait_until(lambda: slurm.output(job), slurm.reported)
    return lines[0]
