"""Figures of messages."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from config.rules.figures import apart


@pytest.mark.parametrize(
    ("more", "less", "shown"),
    [
        (302.4, 120, ("302", "120")),
        (60.4, 60, ("60.4", "60")),
        (60.004, 60, ("60.004", "60")),
        (302.4, 302.39, ("302.4", "302.39")),
        (38400.3, 38400, ("38,400.3", "38,400")),
    ],
)
def test_two_figures_have_as_few_decimals_as_show_which_one_is_more(
    more: float, less: float, shown: tuple[str, str]
) -> None:
    assert apart(more, less) == shown


@given(st.floats(0, 1e7), st.floats(1e-6, 1e7))
def test_two_figures_that_differ_never_look_the_same(less: float, by: float) -> None:
    assume(less + by > less)
    high, low = (float(shown.replace(",", "")) for shown in apart(less + by, less))
    assert high > low
