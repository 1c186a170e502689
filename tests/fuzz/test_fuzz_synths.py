"""Accepted generated profiles, a few of them: synthesized, linted, deployed and deleted."""

from __future__ import annotations

import pytest

from scripts.fuzz.case import Case
from scripts.fuzz.cases import right_cases
from scripts.fuzz.finding import Found
from scripts.fuzz.synth_batch import check_synthesis
from scripts.fuzz.synths import spread
from scripts.fuzz.validations import drawn

SEED = 20261128


def accepted(count: int) -> list[Case]:
    found: list[Case] = []

    def keep(case: Case) -> None:
        with case.written() as folder:
            if case.load(folder).design is not None:
                found.append(case)

    drawn(right_cases(built=True), 12, SEED, keep)
    return spread(found, count)


@pytest.mark.synth
def test_accepted_generated_profiles_synthesize_lint_clean_and_deploy() -> None:
    cases = accepted(2)
    assert len(cases) == 2
    for number, case in enumerate(cases):
        with case.written() as folder:
            seen = check_synthesis(case, folder, deploy=number == 0)
        assert [str(Found(finding, case)) for finding in seen.findings] == []
        assert seen.deployed is (number == 0)
