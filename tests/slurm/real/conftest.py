"""A real Slurm if it is installed, and clusters for the tests."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from dataclasses import replace

import pytest

from config.cluster import load_cluster
from tests.programs import lacks
from tests.slurm.conf import SlurmConf, plan_slurm_conf
from tests.slurm.real.slurm_cluster import PROGRAMS

PACKAGES = "slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge"


def missing(uid: int, programs: Iterable[str]) -> str | None:
    """Return why Slurm cannot run here, in one line."""
    absent = [
        program for program in programs if shutil.which(program, path=f"{os.defpath}:/usr/sbin") is None
    ]
    if absent:
        return f"no real Slurm without {', '.join(absent)}: apt-get install {PACKAGES}"
    return None if uid == 0 else "no real Slurm without root: it makes device files and runs slurmd"


@pytest.fixture(autouse=True, scope="session")
def slurm_is_there() -> None:
    """Skip the test if Slurm is missing, fail if the tools are required."""
    reason = missing(os.getuid(), PROGRAMS)
    if reason is not None:
        lacks(reason)


def conf_of(profile: str, orchestrator: str | None = None, nodes: int | None = None) -> SlurmConf:
    """Return the configuration of a built-in profile; `nodes` replaces its nodes by train-1 and on."""
    design = load_cluster(profile, orchestrator=orchestrator).design
    assert design is not None
    conf = plan_slurm_conf(design.profile, design.groups, design.pcs)
    assert conf is not None
    if nodes is None:
        return conf
    (line,) = [replace(line, name="train", count=nodes) for line in conf.nodes if line.gpus]
    partitions = tuple(
        replace(partition, nodes="ALL" if partition.nodes == "ALL" else line.names)
        for partition in conf.partitions
    )
    return replace(conf, nodes=(line,), partitions=partitions)
