"""What can go wrong: a request that is refused, and a resource that fails."""

from __future__ import annotations

from moto.core.exceptions import ServiceException


class RequestRefusedError(ServiceException):
    """The API call is refused with CloudFormation's `ValidationError`; nothing was changed."""

    code = "ValidationError"

    def __init__(self, message: str) -> None:
        super().__init__(message)


class StackMissingError(RequestRefusedError):
    """No stack of this name or id."""

    def __init__(self, stack: str) -> None:
        super().__init__(f"Stack with id {stack} does not exist")


class ChangeSetMissingError(ServiceException):
    """No change set of this name or id."""

    code = "ChangeSetNotFound"

    def __init__(self, change_set: str) -> None:
        super().__init__(f"ChangeSet [{change_set}] does not exist")


class StackExistsError(ServiceException):
    """A stack of this name is there already."""

    code = "AlreadyExistsException"

    def __init__(self, stack: str) -> None:
        super().__init__(f"Stack [{stack}] already exists")


class ResourceFailedError(Exception):
    """One resource cannot be created, changed or deleted; the message becomes the event's reason."""
