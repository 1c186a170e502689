"""What a request to CloudFormation can be refused for, beside what is wrong with its template."""

from __future__ import annotations

from scripts.cloud.template.errors import RequestRefusedError


class StackMissingError(RequestRefusedError):
    """No stack of this name or id."""

    def __init__(self, stack: str) -> None:
        super().__init__(f"Stack with id {stack} does not exist")


class ChangeSetMissingError(RequestRefusedError):
    """No change set of this name or id."""

    code = "ChangeSetNotFound"

    def __init__(self, change_set: str) -> None:
        super().__init__(f"ChangeSet [{change_set}] does not exist")


class StackExistsError(RequestRefusedError):
    """A stack of this name is there already."""

    code = "AlreadyExistsException"

    def __init__(self, stack: str) -> None:
        super().__init__(f"Stack [{stack}] already exists")


class CapabilitiesMissingError(RequestRefusedError):
    """The template makes IAM resources, and the caller did not say that it may."""

    code = "InsufficientCapabilitiesException"
