"""The stacks and change sets of one account and Region, and the rules of what may be done when."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from threading import RLock
from uuid import uuid4

from scripts.cloudformation.errors import RequestRefusedError, ResourceFailedError
from scripts.cloudformation.graph import dependencies, in_order
from scripts.cloudformation.template import Template

from . import operations
from .account import Account
from .changes import predict
from .errors import ChangeSetMissingError, StackExistsError, StackMissingError
from .parameters import resolve_parameters
from .stack import ChangeSet, Stack

NO_CHANGES = (
    "The submitted information didn't contain changes. Submit different information to create a change set."
)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,127}")
# from these a stack cannot be updated: it must be deleted first
_DEAD_ENDS = ("ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "DELETE_FAILED", "UPDATE_ROLLBACK_FAILED")


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a caller asks a stack to become."""

    stack_name: str
    template: str
    parameters: Mapping[str, str | None]
    tags: Mapping[str, str]
    capabilities: tuple[str, ...] = ()
    role_arn: str | None = None
    description: str | None = None
    token: str | None = None


class Backend:
    """CloudFormation in one account and Region."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.stacks: dict[str, Stack] = {}
        self.change_sets: dict[str, ChangeSet] = {}
        self._lock = RLock()

    def stack(self, name_or_id: str) -> Stack:
        """A stack by id, or a stack that is not deleted by name."""
        if name_or_id in self.stacks:
            return self.stacks[name_or_id]
        for stack in self.stacks.values():
            if stack.name == name_or_id and stack.status != "DELETE_COMPLETE":
                return stack
        raise StackMissingError(name_or_id)

    def exports(self) -> dict[str, str]:
        """Every export of every stack."""
        return {name: value for stack in self.stacks.values() for name, value in stack.exports.items()}

    def create_change_set(self, name: str, kind: str, request: Request) -> ChangeSet:
        """Work out what a deployment would do."""
        with self._lock:
            template = Template.parse(request.template)
            stack = self._target(kind, request.stack_name)
            given = self._given(stack, request.parameters)
            in_order(dependencies(template))
            parameters = resolve_parameters(template, given, self.account.parameter)
            if stack.id not in self.stacks:
                self.stacks[stack.id] = stack
                stack.enter("REVIEW_IN_PROGRESS", "User Initiated")
            try:
                changes = predict(self.account, stack, template, parameters, self.exports)
            except ResourceFailedError as error:
                raise RequestRefusedError(str(error)) from None
            change_set = ChangeSet(
                name=name,
                id=self._arn(f"changeSet/{name}/{uuid4()}"),
                stack=stack,
                kind="UPDATE" if stack.resources or stack.status != "REVIEW_IN_PROGRESS" else "CREATE",
                template=template,
                parameters=parameters,
                given_parameters=given,
                tags=dict(request.tags),
                capabilities=list(request.capabilities),
                role_arn=request.role_arn,
                description=request.description,
                changes=changes,
            )
            if not self._differs(change_set):
                change_set.status, change_set.execution_status = "FAILED", "UNAVAILABLE"
                change_set.reason = NO_CHANGES
            self.change_sets[change_set.id] = change_set
            return change_set

    def change_set(self, name_or_id: str, stack_name: str | None = None) -> ChangeSet:
        """A change set by id, or by its name and its stack's."""
        if name_or_id in self.change_sets:
            return self.change_sets[name_or_id]
        for change_set in self.change_sets.values():
            if change_set.name == name_or_id and stack_name in (change_set.stack.name, change_set.stack.id):
                return change_set
        raise ChangeSetMissingError(name_or_id)

    def execute(self, change_set: ChangeSet, *, rollback: bool = True, token: str | None = None) -> None:
        """Deploy a change set; returns when the stack has reached its end."""
        with self._lock:
            stack = change_set.stack
            if change_set.execution_status != "AVAILABLE":
                raise RequestRefusedError(
                    f"ChangeSet [{change_set.id}] cannot be executed "
                    f"in its current status of [{change_set.status}]"
                )
            self._refuse_unless_updatable(stack)
            change_set.execution_status = "EXECUTE_IN_PROGRESS"
            stack.token, stack.disable_rollback = token, not rollback
            if not (stack.status.endswith("_FAILED") and stack.undo):
                stack.undo = []
            operations.deploy(self.account, change_set, self.exports, rollback=rollback)
            failed = "FAILED" in stack.status or "ROLLBACK" in stack.status
            change_set.execution_status = "EXECUTE_FAILED" if failed else "EXECUTE_COMPLETE"
            self.forget_change_sets(stack, keep=change_set)

    def roll_back(self, stack: Stack, token: str | None = None) -> None:
        """Undo the deployment that failed and was left as it was."""
        with self._lock:
            if not stack.status.endswith("_FAILED"):
                raise RequestRefusedError(
                    f"Stack:{stack.id} is in {stack.status} state and can not be rolled back."
                )
            stack.token = token
            operations.roll_back(self.account, stack)

    def delete(self, stack: Stack, token: str | None = None) -> None:
        """Delete a stack, unless it is protected or others import from it."""
        with self._lock:
            if stack.status == "DELETE_COMPLETE":
                return
            if stack.protected:
                raise RequestRefusedError(
                    f"Stack [{stack.name}] cannot be deleted while TerminationProtection is enabled"
                )
            stack.token = token
            for other in self.stacks.values():
                used = sorted(other.imports & stack.exports.keys())
                if used and other is not stack and other.status != "DELETE_COMPLETE":
                    stack.enter(
                        "DELETE_FAILED",
                        f"Delete canceled. Cannot delete export {used[0]} as it is in use by {other.name}.",
                    )
                    return
            operations.delete(self.account, stack)
            self.forget_change_sets(stack)

    def forget_change_sets(self, stack: Stack, keep: ChangeSet | None = None) -> None:
        """A stack that has moved on has no use for older change sets."""
        self.change_sets = {i: c for i, c in self.change_sets.items() if c.stack is not stack or c is keep}

    def _target(self, kind: str, name: str) -> Stack:
        try:
            stack = self.stack(name)
        except StackMissingError:
            if kind == "UPDATE":
                raise
            if not _NAME.fullmatch(name):
                raise RequestRefusedError(
                    f"Value '{name}' at 'stackName' failed to satisfy constraint: {_NAME.pattern}"
                ) from None
            stack_id = self._arn(f"stack/{name}/{uuid4()}")
            return Stack(name, stack_id, self.account.region, self.account.account_id, "REVIEW_IN_PROGRESS")
        if kind == "CREATE" and stack.status != "REVIEW_IN_PROGRESS":
            raise StackExistsError(name)
        if kind == "UPDATE":
            self._refuse_unless_updatable(stack)
        return stack

    @staticmethod
    def _refuse_unless_updatable(stack: Stack) -> None:
        if stack.status in _DEAD_ENDS or (
            stack.status.endswith("_IN_PROGRESS") and stack.status != "REVIEW_IN_PROGRESS"
        ):
            raise RequestRefusedError(f"Stack:{stack.id} is in {stack.status} state and can not be updated.")

    @staticmethod
    def _given(stack: Stack, parameters: Mapping[str, str | None]) -> dict[str, str]:
        """None stands for the value that the stack had before."""
        given = {}
        for name, value in parameters.items():
            previous = stack.given_parameters.get(name) if value is None else value
            if previous is not None:
                given[name] = previous
        return given

    @staticmethod
    def _differs(change_set: ChangeSet) -> bool:
        stack = change_set.stack
        return (
            bool(change_set.changes)
            or stack.template is None
            or stack.status.endswith("_FAILED")
            or stack.template.body != change_set.template.body
            or stack.tags != change_set.tags
        )

    def _arn(self, path: str) -> str:
        return f"arn:aws:cloudformation:{self.account.region}:{self.account.account_id}:{path}"


class Backends:
    """One backend for each account and Region, made when first used."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], Backend] = {}
        self._lock = RLock()

    def get(self, account: Account) -> Backend:
        """The backend of an account and Region."""
        with self._lock:
            return self._made.setdefault((account.account_id, account.region), Backend(account))
