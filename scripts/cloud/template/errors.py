"""Errors in templates: an error of the whole request, and an error of one resource."""

from __future__ import annotations


class RequestRefusedError(Exception):
    """The whole request is rejected, with CloudFormation's error code and message."""

    code = "ValidationError"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class ResourceFailedError(Exception):
    """One resource cannot be created, changed or deleted; the message becomes the event's reason."""


class TimedOutError(ResourceFailedError):
    """CloudFormation timed out, because a resource did not respond; the wait is only simulated."""

    def __init__(self, message: str, *, after_s: float) -> None:
        super().__init__(message)
        self.after_s = after_s
