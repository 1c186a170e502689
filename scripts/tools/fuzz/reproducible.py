"""Reproducible cases: a seed returns the same cases after changes of other modules."""

from __future__ import annotations

from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

_NOTHING = Constants()


def use_no_local_constants() -> None:
    """Stop Hypothesis from using the constants of loaded modules as values.

    With these constants, a seed would return other cases after each code change, and a recorded seed would be
    useless.
    """
    vars(providers)["_get_local_constants"] = lambda: _NOTHING
