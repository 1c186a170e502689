"""Spare nodes with a real Slurm: jobs do not use them until a node fails."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.cluster import load_cluster
from tests.slurm.real.conftest import conf_of
from tests.slurm.real.daemons import wait_until
from tests.slurm.real.slurm_cluster import Slurm

NAME = "ultracluster-spare-train"
PROFILE = """\
extends: p6-b200
name: spared
compute:
  groups:
    - {name: controller, role: controller, instance_type: m5.4xlarge, count: 1}
    - {name: train, role: compute, instance_type: p6-b200.48xlarge, count: 6, spare: 2}
"""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the scripts of the cluster at their path on nodes."""
    folder = tmp_path_factory.mktemp("spares")
    (folder / "spared.yaml").write_text(PROFILE)
    design = load_cluster(str(folder / "spared.yaml")).design
    assert design is not None
    scripts = design.hyperpod.scripts if design.hyperpod else None
    assert scripts is not None
    for name, text in scripts.files.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def slurm() -> Iterator[Slurm]:
    with Slurm(conf_of("p6-b200", nodes=6), impatient=True) as running:
        yield running


def hold(slurm: Slurm, bundle: Path) -> None:
    """Run the timer's script of all nodes at the same time."""
    for number in range(1, 7):
        env = {
            "PATH": f"{os.defpath}:/usr/sbin",
            "SLURM_CONF": str(slurm.folder / "slurm.conf"),
            "SLURMD_NODENAME": f"train-{number}",
            "ULTRACLUSTER_ROOT": str(bundle),
        }
        subprocess.run(["bash", str(bundle / "spares.sh"), "hold"], env=env, check=True, timeout=60)


def spare(slurm: Slurm) -> int:
    shown = slurm.ask("scontrol", "--oneliner", "show", "reservation")
    mine = shown.partition(f"ReservationName={NAME} ")[2]
    return int(mine.partition("NodeCnt=")[2].split()[0]) if mine else 0


@pytest.mark.long
def test_jobs_get_all_nodes_but_the_spare_ones_and_still_as_many_when_one_fails(
    slurm: Slurm, bundle: Path
) -> None:
    options = ("--exclusive", "--partition=train", "--ntasks-per-node=1")
    hold(slurm, bundle)
    assert spare(slurm) == 2
    five = slurm.submit("srun true", "--nodes=5", *options)
    four = slurm.submit("srun true", "--nodes=4", *options)
    slurm.wait_for(four, "COMPLETED")
    assert slurm.job(five).state == "PENDING"
    slurm.ask("scancel", str(five))
    # two nodes fail, one after the other
    for number, left in ((1, 1), (4, 0)):
        slurm.ask("scontrol", "update", f"nodename=train-{number}", "state=down", "reason=broken")
        hold(slurm, bundle)
        assert spare(slurm) == left
        job = slurm.submit("srun true", "--nodes=4", *options)
        slurm.wait_for(job, "COMPLETED")
    # the nodes return, and become spare nodes again
    for number in (1, 4):
        slurm.ask("scontrol", "update", f"nodename=train-{number}", "state=resume")
    wait_until(lambda: all(slurm.node(f"train-{n}")["State"] == "IDLE" for n in (1, 4)), slurm.reported)
    hold(slurm, bundle)
    assert spare(slurm) == 2
    hold(slurm, bundle)
    assert spare(slurm) == 2
