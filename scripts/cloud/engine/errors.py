"""Errors that reject a request to CloudFormation, in addition to template errors."""

from __future__ import annotations

from scripts.cloud.template.errors import RequestRefusedError


class StackMissingError(RequestRefusedError):
    """The stack does not exist."""

    def __init__(self, stack: str) -> None:
        super().__init__(f"Stack with id {stack} does not exist")


class ChangeSetMissingError(RequestRefusedError):
    """The change set does not exist."""

    code = "ChangeSetNotFound"

    def __init__(self, change_set: str) -> None:
        super().__init__(f"ChangeSet [{change_set}] does not exist")


class StackExistsError(RequestRefusedError):
    """A stack with this name already exists."""

    code = "AlreadyExistsException"

    def __init__(self, stack: str) -> None:
        super().__init__(f"Stack [{stack}] already exists")


class CapabilitiesMissingError(RequestRefusedError):
    """The template has IAM resources, and the request does not acknowledge them."""

    code = "InsufficientCapabilitiesException"
