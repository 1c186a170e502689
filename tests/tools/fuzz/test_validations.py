"""Properties of every profile, checked with few generated profiles; `make fuzz` generates many."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import SearchStrategy

from scripts.tools.fuzz import cases as made
from scripts.tools.fuzz.case import Case
from scripts.tools.fuzz.checks.planted import Fault, faults, planted, planted_cases, unreported
from scripts.tools.fuzz.checks.properties import check
from scripts.tools.fuzz.finding import Found
from scripts.tools.fuzz.values.texts import block
from tests.tables import each_row

_ALL = list(HealthCheck)
_SHORT = settings(max_examples=20, derandomize=True, database=None, deadline=None, suppress_health_check=_ALL)
KINDS: dict[str, Callable[[], SearchStrategy[Case]]] = {
    "valid": made.valid_cases,
    "other values": made.other_value_cases,
    "mutated": made.mutated_cases,
    "small": made.small_cases,
    "schema": made.schema_cases,
    "damaged": made.damaged_cases,
    "extending": made.extending_cases,
    "named": made.named_cases,
    "example": made.example_cases,
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", KINDS)
def test_validation_of_a_generated_profile_has_every_property(kind: str) -> None:
    @_SHORT
    @given(KINDS[kind]())
    def holds(case: Case) -> None:
        assert [str(Found(finding, case)) for finding in check(case).findings] == []

    holds()


@pytest.mark.long
@settings(_SHORT, max_examples=60)
@given(planted_cases())
def test_every_one_of_several_independent_faults_is_reported(pair: tuple[Case, tuple[str, ...]]) -> None:
    assert [*unreported(*pair)] == []


@each_row("fault", faults(), lambda fault: f"{fault.code}-{'.'.join(map(str, fault.at))}")
def test_a_fault_that_is_planted_alone_is_reported(fault: Fault) -> None:
    case = Case(files={"my.yaml": block(planted([fault])).encode()})
    assert [*unreported(case, (fault.code,))] == []


def test_the_profile_that_faults_are_planted_in_has_none_of_them() -> None:
    case = Case(files={"my.yaml": block(planted([])).encode()})
    with case.written() as folder:
        reported = {diagnostic.code for diagnostic in case.load(folder).diagnostics}
    assert not reported & {fault.code for fault in faults()}
