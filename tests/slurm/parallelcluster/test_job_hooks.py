"""The custom action of ParallelCluster's head node, which links a prolog and an epilog into its folders."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.conftest import ROOT

SCRIPT = ROOT / "scripts" / "node" / "parallelcluster" / "job_hooks.sh"


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"SLURM_SCRIPTS": str(folder)}
    return subprocess.run(
        ["bash", str(SCRIPT), *arguments], env=environment, capture_output=True, text=True, check=False
    )


def test_each_program_is_in_the_folder_that_slurm_runs_and_again_changes_nothing(tmp_path: Path) -> None:
    for _ in range(2):
        assert run(tmp_path, "prolog=/opt/site/a.sh", "epilog=/opt/site/b.sh").returncode == 0
    links = {str(link.relative_to(tmp_path)): str(link.readlink()) for link in tmp_path.glob("*/*")}
    assert links == {
        "prolog.d/90_ultracluster": "/opt/site/a.sh",
        "epilog.d/90_ultracluster": "/opt/site/b.sh",
    }


def test_another_word_is_refused_and_nothing_is_linked(tmp_path: Path) -> None:
    for word in ("taskprolog=/opt/site/a.sh", "prolog=a.sh", "prolog"):
        done = run(tmp_path, word)
        assert (done.returncode, word in done.stderr) == (1, True)
    assert list(tmp_path.iterdir()) == []
