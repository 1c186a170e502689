"""Retries within the run time of the function."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from botocore.exceptions import ClientError

POLL_S = 10
ROLE_SPREADS_S = 120  # a new role is not effective everywhere at once
PASSING = ("InternalServerException", "InternalServiceError", "ThrottlingException")
ANSWER_S = 30  # reserved to clean up and to send the response


class RefusedError(Exception):
    """A failure whose message is complete, without a traceback."""


class NoTimeError(RefusedError):
    """The run time of the function ended during a wait."""


def code_of(error: ClientError) -> str:
    """Return the error code of the service."""
    return error.response["Error"]["Code"]


class GoneError(Exception):
    """The workspace does not exist, or is being deleted."""


class Retries:
    """Retries of calls within the run time of one request."""

    def __init__(self, context: Any) -> None:
        """`context` is the Lambda context."""
        self._context = context
        self._began_ms = self._left_ms()

    def _left_ms(self) -> int:
        return int(self._context.get_remaining_time_in_millis())

    def passed_s(self) -> float:
        """Return the seconds since the start of the request."""
        return (self._began_ms - self._left_ms()) / 1000

    def wait(self, reason: str) -> None:
        """Wait for POLL_S seconds; raises NoTimeError with the reason if no time is left."""
        if self._left_ms() < (POLL_S + ANSWER_S) * 1000:
            raise NoTimeError(f"{reason} after {self.passed_s():.0f} s")
        time.sleep(POLL_S)

    def call(self, operation: Callable[..., Any], **request: Any) -> Any:
        """Call a service, and retry new permissions, conflicts and temporary errors."""
        while True:
            try:
                return operation(**request)
            except ClientError as error:
                reason = code_of(error)
                spreads = reason == "AccessDeniedException" and self.passed_s() <= ROLE_SPREADS_S
                # another change of the workspace is in progress
                busy = reason == "ConflictException" and "exist" not in str(error)
                if not spreads and not busy and reason not in PASSING:
                    raise
            self.wait(f"{operation.__name__} still fails with {reason}")
