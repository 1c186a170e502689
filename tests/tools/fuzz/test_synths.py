"""Synthesis, cfn-lint, deployment and deletion of a few accepted generated profiles."""

from __future__ import annotations

import pytest

from scripts.tools.fuzz.case import Case
from scripts.tools.fuzz.cases import valid_cases
from scripts.tools.fuzz.finding import Found
from scripts.tools.fuzz.synth_batch import check_synthesis
from scripts.tools.fuzz.synths import spread
from scripts.tools.fuzz.validations import drawn

SEED = 20261128


def accepted(count: int) -> list[Case]:
    found: list[Case] = []

    def keep(case: Case) -> None:
        with case.written() as folder:
            if case.load(folder).design is not None:
                found.append(case)

    drawn(valid_cases(), 3 * count, SEED, keep)
    return spread(found, count)


@pytest.mark.synth
@pytest.mark.long
def test_accepted_generated_profiles_synthesize_lint_clean_and_deploy() -> None:
    deployed = 0
    # the embedded cloud does not have every zone, so deploy the first case whose zone it has
    for number, case in enumerate(accepted(24)):
        with case.written() as folder:
            seen = check_synthesis(case, folder, deploy=not deployed)
        assert [str(Found(finding, case)) for finding in seen.findings] == []
        deployed += seen.deployed
        if deployed and number:
            break
    assert deployed == 1
