"""The Slurm page describes the tests."""

from __future__ import annotations

from scripts.tools.setup.lock import ROOT
from tests.slurm.real.conftest import PACKAGES
from tests.slurm.real.translation import OLDER

PAGE = (ROOT / "docs" / "slurm.md").read_text(encoding="utf-8")


def test_every_setting_that_is_left_out_is_on_the_page_with_its_reason() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| `")]
    assert [row for row in rows if row.split("`")[1] in OLDER] == [
        f"| `{name}` | {reason} |" for name, reason in OLDER.items()
    ]


def test_the_packages_are_those_that_the_tests_need() -> None:
    assert PACKAGES in PAGE
