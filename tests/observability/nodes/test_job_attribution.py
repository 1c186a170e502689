"""Files that assign GPUs to jobs for DCGM's exporter, from prolog and epilog."""

from __future__ import annotations

import os
import subprocess

import pytest

from tests.nodes.fixtures import MakeNode, prepared
from tests.nodes.node import BASH, Node, needs_bash
from tests.observability.nodes.collecting import collecting_bundle

pytestmark = needs_bash
JOBS = "run/slurm/dcgm-job-mapping"


@pytest.fixture
def node(make: MakeNode) -> Node:
    """A HyperPod GPU node with installed prolog and epilog."""
    made = prepared(make(collecting_bundle()))
    made.runs()
    return made


def around(node: Node, program: str, **variables: str) -> int:
    """Run the prolog or the epilog as Slurm does; return the exit status."""
    run = subprocess.run(
        [str(BASH), str(node.root / "opt/ultracluster/slurm" / f"{program}.sh")],
        env={
            "PATH": f"{node.bin}:/usr/bin:/bin",
            "NODE": str(node.folder),
            "ULTRACLUSTER_ROOT": str(node.root),
            "ULTRACLUSTER_SCRIPTS": str(node.root / "opt/ultracluster"),
            "ULTRACLUSTER_WAIT_S": "0",
            "SLURMD_NODENAME": "train-1",
            **variables,
        },
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    return run.returncode


def mapped(node: Node) -> dict[str, str]:
    """Return the jobs of each GPU."""
    folder = node.root / JOBS
    return {file.name: file.read_text() for file in sorted(folder.iterdir())} if folder.exists() else {}


@pytest.mark.sample(1)
@pytest.mark.parametrize("gpus", ["0,1,2,5", "0-2,5"])
def test_a_job_is_written_for_each_of_its_gpus_and_taken_away_after_it(node: Node, gpus: str) -> None:
    assert around(node, "prolog", SLURM_JOB_ID="42", SLURM_JOB_GPUS=gpus) == 0
    assert mapped(node) == dict.fromkeys(("0", "1", "2", "5"), "42\n")
    assert around(node, "epilog", SLURM_JOB_ID="42") == 0
    assert mapped(node) == {}


@pytest.mark.long
def test_jobs_that_share_a_gpu_are_both_there_and_end_one_by_one(node: Node) -> None:
    around(node, "prolog", SLURM_JOB_ID="42", CUDA_VISIBLE_DEVICES="3")
    around(node, "prolog", SLURM_JOB_ID="421", CUDA_VISIBLE_DEVICES="3")
    assert mapped(node) == {"3": "42\n421\n"}
    around(node, "epilog", SLURM_JOB_ID="42", CUDA_VISIBLE_DEVICES="3")
    assert mapped(node) == {"3": "421\n"}


@pytest.mark.long
def test_a_job_that_is_queued_again_has_the_gpus_of_its_new_start_alone(node: Node) -> None:
    around(node, "prolog", SLURM_JOB_ID="42", SLURM_JOB_GPUS="0,1")
    around(node, "prolog", SLURM_JOB_ID="42", SLURM_JOB_GPUS="6")
    assert mapped(node) == {"6": "42\n"}


@pytest.mark.long
@pytest.mark.parametrize("gpus", ["MIG-GPU-1/2/3", "GPU-ebc5a591", "", "../../etc/passwd", "0.1"])
def test_parts_of_gpus_and_other_names_are_left_out(node: Node, gpus: str) -> None:
    assert around(node, "prolog", SLURM_JOB_ID="42", SLURM_JOB_GPUS=gpus) == 0
    assert mapped(node) == {}


@pytest.mark.long
@pytest.mark.parametrize("program", ["prolog", "epilog"])
def test_a_folder_that_cannot_be_written_holds_no_job_up(node: Node, program: str) -> None:
    node.file("run/slurm", "a file where the folder belongs\n")
    assert around(node, program, SLURM_JOB_ID="42", SLURM_JOB_GPUS="0") == 0


@pytest.mark.long
def test_a_node_that_is_not_well_refuses_the_job_as_before_and_writes_none(node: Node) -> None:
    node.has_gpus(7)
    assert around(node, "prolog", SLURM_JOB_ID="42", SLURM_JOB_GPUS="0") != 0
    assert mapped(node) == {}
    assert around(node, "epilog", SLURM_JOB_ID="42") != 0


@pytest.mark.long
def test_the_lock_and_what_is_half_written_lie_outside_the_folder(node: Node) -> None:
    around(node, "prolog", SLURM_JOB_ID="42", SLURM_JOB_GPUS="0")
    assert os.listdir(node.root / JOBS) == ["0"]
