"""Validation of generated profiles takes few function calls."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from statistics import mean

import pytest

from scripts.tools.fuzz.corpus import corpus
from scripts.tools.fuzz.stored import store, stored
from tests.calls import calls_of


@pytest.mark.long
def test_generated_profiles_are_of_every_kind_and_validate_in_10000_calls_each(tmp_path: Path) -> None:
    cases = corpus(60, seed=1)
    store(cases, tmp_path)
    kept = [*stored(tmp_path)]
    assert [case for case, _ in kept] == cases
    statuses = [case.load(files).exit_status for case, files in kept]
    assert {0, 1} <= set(statuses)
    assert len({repr(case) for case in cases}) == 60
    assert mean(calls_of(partial(case.load, files)) for case, files in kept) < 10_000
