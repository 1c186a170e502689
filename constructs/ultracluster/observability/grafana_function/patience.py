"""The time that a function has, and what it does not wait for any longer."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from botocore.exceptions import ClientError

POLL_S = 10
ROLE_SPREADS_S = 120  # a role that was just made is not known everywhere at once
PASSING = ("InternalServerException", "InternalServiceError", "ThrottlingException")
ANSWER_S = 30  # kept back from the function's time, to clean up and to answer


class RefusedError(Exception):
    """A failure whose message says all there is to say."""


class NoTimeError(RefusedError):
    """What was waited for did not come in the time that a function has."""


def code_of(error: ClientError) -> str:
    """The service's code of an error."""
    return error.response["Error"]["Code"]


class GoneError(Exception):
    """The workspace does not exist, or is being deleted."""


class Patience:
    """The time that is left to one request."""

    def __init__(self, context: Any) -> None:
        """The context is Lambda's."""
        self._context = context
        self._began_ms = self._left_ms()

    def _left_ms(self) -> int:
        return int(self._context.get_remaining_time_in_millis())

    def passed_s(self) -> float:
        """Seconds since the request came."""
        return (self._began_ms - self._left_ms()) / 1000

    def wait(self, reason: str) -> None:
        """Let a moment pass; raises with the reason when no time is left."""
        if self._left_ms() < (POLL_S + ANSWER_S) * 1000:
            raise NoTimeError(f"{reason} after {self.passed_s():.0f} s")
        time.sleep(POLL_S)

    def ask(self, call: Callable[..., Any], **request: Any) -> Any:
        """Call a service, patient with permissions that have yet to spread and with what passes by itself."""
        while True:
            try:
                return call(**request)
            except ClientError as error:
                reason = code_of(error)
                spreads = reason == "AccessDeniedException" and self.passed_s() <= ROLE_SPREADS_S
                # another change of the workspace is still under way
                busy = reason == "ConflictException" and "exist" not in str(error)
                if not spreads and not busy and reason not in PASSING:
                    raise
            self.wait(f"{call.__name__} is still answered with {reason}")
