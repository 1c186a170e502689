"""Validation of many profiles is quick enough to be run on every change of each of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.tools.bench.__main__ import validation_tasks
from scripts.tools.bench.measure import measure
from scripts.tools.fuzz.corpus import corpus
from scripts.tools.fuzz.stored import store, stored


@pytest.mark.alone
@pytest.mark.long
def test_a_thousand_profiles_validate_in_a_hundred_times_a_bare_process(tmp_path: Path) -> None:
    for result in measure(validation_tasks(tmp_path), 3, lambda _: None):
        assert result.within(), f"{result.name} takes {result.ratio:.0f} times a bare process"


@pytest.mark.long
def test_the_profiles_that_are_measured_are_of_every_kind_and_each_another_one(tmp_path: Path) -> None:
    cases = corpus(60, seed=1)
    store(cases, tmp_path)
    assert [case for case, _ in stored(tmp_path)] == cases
    statuses = [case.load(files).exit_status for case, files in stored(tmp_path)]
    assert {0, 1} <= set(statuses)
    assert len({repr(case) for case in cases}) == 60
