"""Why nobody got anywhere."""

from __future__ import annotations


class ConnectError(Exception):
    """What is wrong, and what to do; the command ends with status 2."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
