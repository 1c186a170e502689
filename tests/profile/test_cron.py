"""A schedule that is wrong is told field by field, and one that never comes is none."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.profile.base import CRON
from config.profile.slurm.cron import _FIELDS, malformed, no_match


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("every sunday", "not cron(...)"),
        ("cron(0 3 * * *)", "it has 5 fields, but 6 are required"),
        ("cron(60 3 ? * SUN *)", "the minute is 60; allowed: 0 to 59"),
        ("cron(0 25 ? * SUN *)", "the hour is 25; allowed: 0 to 23"),
        ("cron(0 3 32 * ? *)", "the day of the month is 32"),
        ("cron(0 3 * * ? *)", "the day of the month is *"),
        ("cron(0 3 1 13 ? *)", "the month is 13"),
        ("cron(0 3 ? * MON-FRI *)", "the day of the week is MON-FRI"),
        ("cron(0 3 ? * SUN 1999)", "the year is 1999; allowed: 2020 to 2099"),
    ],
)
def test_the_wrong_field_is_named_with_what_it_takes(text: str, said: str) -> None:
    assert said in (malformed(text) or "")
    assert not re.fullmatch(CRON, text)


PARTS = st.tuples(*(st.from_regex(form, fullmatch=True) for _, form, _ in _FIELDS))


@given(PARTS)
def test_what_every_field_takes_has_the_form_of_the_key(parts: tuple[str, ...]) -> None:
    text = f"cron({' '.join(parts)})"
    assert malformed(text) is None
    assert re.fullmatch(CRON, text)


@pytest.mark.parametrize(
    ("text", "comes"),
    [
        ("cron(0 3 31 2 ? *)", False),
        ("cron(0 3 30 2 ? *)", False),
        ("cron(0 3 29 2 ? *)", True),
        ("cron(0 3 31 */3 ? *)", True),
        ("cron(0 3 31 4 ? *)", False),
        ("cron(0 3 ? 2 6#5 *)", True),
        ("cron(0 3 ? * ? *)", False),
        ("cron(0 3 1 1 ? 2025)", False),
        ("cron(0 3 1 1 ? 2026)", True),
    ],
)
def test_a_day_that_no_month_has_never_comes(text: str, comes: bool) -> None:
    assert (no_match(text, 2026) is None) is comes
