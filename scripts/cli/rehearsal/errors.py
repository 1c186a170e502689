"""What ends a rehearsal: a message for the user and an exit status."""

from __future__ import annotations


class RehearsalError(Exception):
    """Status 1: the deployment failed or was called off. Status 2: it could not be tried.

    `hint` is the way out, where there is one.
    """

    def __init__(self, message: str, status: int = 1, hint: str | None = None) -> None:
        super().__init__(message)
        self.status, self.hint = status, hint

    def told(self) -> str:
        """The message, with the hint on a line of its own."""
        return f"{self}\n  hint: {self.hint}" if self.hint else str(self)
