"""The same cases for a seed, whatever else of the project is loaded or changes."""

from __future__ import annotations

from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

_NOTHING = Constants()


def keep_steady() -> None:
    """Draw no values from the project's own code: Hypothesis takes those of every module that is loaded.

    With them a seed would give other cases after each change of any file, and a recorded one mean nothing.
    """
    vars(providers)["_get_local_constants"] = lambda: _NOTHING
