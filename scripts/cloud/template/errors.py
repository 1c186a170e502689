"""What can be wrong with a template: all of it, or one resource."""

from __future__ import annotations


class RequestRefusedError(Exception):
    """The whole request is refused, with the error code and the words that CloudFormation has for it."""

    code = "ValidationError"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class ResourceFailedError(Exception):
    """One resource cannot be created, changed or deleted; the message becomes the event's reason."""


class TimedOutError(ResourceFailedError):
    """Nothing was heard of the resource for so long that CloudFormation gave up; nobody really waited."""

    def __init__(self, message: str, *, after_s: float) -> None:
        super().__init__(message)
        self.after_s = after_s
