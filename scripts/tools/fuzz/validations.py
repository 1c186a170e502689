"""Validations of many cases from one seed, which returns the same cases on every computer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

from scripts.tools.fuzz.case import Case
from scripts.tools.fuzz.cases import cases, valid_cases
from scripts.tools.fuzz.checks.planted import planted_cases, unreported
from scripts.tools.fuzz.checks.properties import check
from scripts.tools.fuzz.checks.waived import with_waivers
from scripts.tools.fuzz.reproducible import use_no_local_constants
from scripts.tools.fuzz.tally import Tally

CHUNK = 500
_PLANTED_SHARE = 20
_PLAN_TEXT_EVERY = 4
T = TypeVar("T")


def drawn(strategy: SearchStrategy[T], count: int, number: int, use: Callable[[T], None]) -> None:
    """Call `use` with up to `count` values of a strategy; a seed always returns the same values."""
    use_no_local_constants()

    @seed(number)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def run(value: T) -> None:
        use(value)

    run()


def validate(count: int, number: int, tally: Tally, progress: Callable[[str], None]) -> None:
    """Validate `count` generated cases, and in addition profiles with planted faults."""
    for start in range(0, count, CHUNK):
        size = min(CHUNK, count - start)
        chunk_seed = number * 1000 + start // CHUNK
        drawn(cases(), size, chunk_seed, lambda case: _one(case, tally))
        drawn(
            planted_cases(), max(1, size // _PLANTED_SHARE), chunk_seed, lambda pair: _planted(*pair, tally)
        )
        progress(tally.summary)


def more_accepted(wanted: int, number: int, tally: Tally) -> None:
    """Validate valid profiles until `wanted` accepted cases exist to synthesize."""
    while len(tally.accepted_cases) < wanted:
        number += 1
        drawn(valid_cases(), CHUNK // 10, number, lambda case: _one(case, tally))


def _one(case: Case, tally: Tally) -> None:
    checked = check(case, plan_text=tally.counts["validations"] % _PLAN_TEXT_EVERY == 0)
    tally.add(checked)
    waived = with_waivers(case, checked.cluster) if checked.cluster else None
    if waived is not None:
        tally.add(check(waived))


def _planted(case: Case, codes: tuple[str, ...], tally: Tally) -> None:
    tally.counts["planted"] += 1
    tally.codes.update(codes)
    tally.note(case, tuple(unreported(case, codes)))
