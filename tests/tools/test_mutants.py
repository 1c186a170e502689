"""The table of `make mutants` fits the files that it changes."""

from __future__ import annotations

import pytest

from tests.conftest import ROOT
from tests.tools.mutants import MUTANTS, Mutant


def test_every_mutant_changes_its_file_and_names_tests_that_exist() -> None:
    for mutant in MUTANTS:
        content = (ROOT / mutant.file).read_text(encoding="utf-8")
        assert mutant.applied(content) != content
        assert f"def {mutant.test}(" in (ROOT / mutant.tests).read_text(encoding="utf-8")
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)


def test_a_mutant_replaces_text_that_the_file_has_once() -> None:
    mutant = Mutant("a", "b.py", "wait(", "pass", "tests/test_b.py", "test_waits", until=")\n")
    assert mutant.applied("go()\nwait(\n  5)\nend()\n") == "go()\npassend()\n"
    for content in ("go()\n", "wait(1)\nwait(2)\n"):
        with pytest.raises(LookupError, match=r"a: b\.py has [02] times 'wait"):
            mutant.applied(content)
