"""Error that ends a rehearsal, with its exit status."""

from __future__ import annotations


class RehearsalError(Exception):
    """The status is 1 if the deployment failed or was cancelled, and 2 if it could not be started.

    `hint` is the solution; None if no solution is known.
    """

    def __init__(self, message: str, status: int = 1, hint: str | None = None) -> None:
        super().__init__(message)
        self.status, self.hint = status, hint

    def with_hint(self) -> str:
        """Return the message, with the hint on its own line."""
        return f"{self}\n  hint: {self.hint}" if self.hint else str(self)
