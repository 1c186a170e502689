"""Errors of inputs that cannot be reviewed."""

from __future__ import annotations

from collections.abc import Iterable


class UnusableError(Exception):
    """An input that cannot be used, with all of its problems; `hint` describes a correct input."""

    def __init__(self, problems: Iterable[str], hint: str | None = None) -> None:
        self.problems = tuple(problems)
        self.hint = hint
        super().__init__("; ".join(self.problems))
