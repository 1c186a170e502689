"""Messages without a real Slurm; in continuous integration the tests fail (`lacks`)."""

from __future__ import annotations

from pathlib import Path

from scripts.tools.setup.lock import ROOT
from tests.slurm.real.conftest import PACKAGES, missing


def test_without_its_programs_one_line_names_them_and_how_to_get_them() -> None:
    assert missing(0, ("sh", "no-such-slurmctld")) == (
        f"no real Slurm without no-such-slurmctld: apt-get install {PACKAGES}"
    )


def test_without_root_one_line_says_so() -> None:
    assert missing(1000, ("sh",)) == "no real Slurm without root: it makes device files and runs slurmd"


def test_with_both_there_is_one() -> None:
    assert missing(0, ("sh",)) is None


def test_continuous_integration_installs_the_same_packages() -> None:
    assert PACKAGES in Path(ROOT, ".ci", "run").read_text()
