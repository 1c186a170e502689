"""What ends a rehearsal: a message for the user and an exit status."""

from __future__ import annotations


class RehearsalError(Exception):
    """Status 1: the deployment failed or was called off. Status 2: it could not be tried."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status
