"""What ends a review before it began: everything that is wrong with its inputs."""

from __future__ import annotations

from collections.abc import Iterable


class UnusableError(Exception):
    """An input that cannot be used, with all of its problems; `hint` says what to write instead."""

    def __init__(self, problems: Iterable[str], hint: str | None = None) -> None:
        self.problems = tuple(problems)
        self.hint = hint
        super().__init__("; ".join(self.problems))
