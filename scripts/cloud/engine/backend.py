"""The stacks and change sets of one account and Region, and the operations that each stack status allows."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from threading import RLock, Thread
from uuid import uuid4

from scripts.cloud.template.document import Template
from scripts.cloud.template.errors import RequestRefusedError, ResourceFailedError
from scripts.cloud.template.graph import dependencies, in_order

from . import operations
from .account import Account
from .capabilities import require_capabilities
from .changes import predict
from .drift import detect
from .errors import ChangeSetMissingError, StackExistsError, StackMissingError
from .failure import reason_of
from .parameters import resolve_parameters
from .policy import StackPolicy
from .rollback import roll_back
from .stack import ChangeSet, Stack, StackDrift

NO_CHANGES = (
    "The submitted information didn't contain changes. Submit different information to create a change set."
)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,127}")
KEPT_DELETED_STACKS = 20
_TO_ROLL_BACK = ("CREATE_FAILED", "ROLLBACK_FAILED", "UPDATE_FAILED", "UPDATE_ROLLBACK_FAILED")
# a stack with one of these statuses cannot be updated and must be deleted first
_DEAD_ENDS = ("ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "DELETE_FAILED", "UPDATE_ROLLBACK_FAILED")


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request to create or update a stack."""

    stack_name: str
    template: str
    parameters: Mapping[str, str | None]
    tags: Mapping[str, str]
    capabilities: tuple[str, ...] = ()
    role_arn: str | None = None
    description: str | None = None
    policy_during_update: str | None = None
    retain_except_on_create: bool = False


class Backend:
    """CloudFormation in one account and Region."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.stacks: dict[str, Stack] = {}
        self.change_sets: dict[str, ChangeSet] = {}
        self._lock = RLock()

    def stack(self, name_or_id: str) -> Stack:
        """Return a stack by id, or a stack that is not deleted by name."""
        if name_or_id in self.stacks:
            return self.stacks[name_or_id]
        for stack in self.stacks.values():
            if stack.name == name_or_id and stack.status != "DELETE_COMPLETE":
                return stack
        raise StackMissingError(name_or_id)

    def exports(self) -> dict[str, str]:
        """Return the exports of all stacks."""
        stacks = list(self.stacks.values())
        return {name: value for stack in stacks for name, value in stack.exports.items()}

    def create_change_set(self, name: str, kind: str, request: Request) -> ChangeSet:
        """Create a change set with the predicted changes of a deployment."""
        with self._lock:
            template = Template.parse(request.template)
            template.require_shapes()
            stack = self._target(kind, request.stack_name)
            parameter_values = self._parameter_values(stack, request.parameters)
            in_order(dependencies(template))
            require_capabilities(template, request.capabilities)
            parameters = resolve_parameters(template, parameter_values, self.account.parameter)
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
                parameter_values=parameter_values,
                tags=dict(request.tags),
                capabilities=list(request.capabilities),
                role_arn=request.role_arn,
                description=request.description,
                changes=changes,
                policy_during_update=request.policy_during_update,
                retain_except_on_create=request.retain_except_on_create,
            )
            if not self._differs(change_set):
                change_set.status, change_set.execution_status = "FAILED", "UNAVAILABLE"
                change_set.reason = NO_CHANGES
            self.change_sets[change_set.id] = change_set
            return change_set

    def change_set(self, name_or_id: str, stack_name: str | None = None) -> ChangeSet:
        """Return a change set by its id, or by its name and its stack's name or id."""
        if name_or_id in self.change_sets:
            return self.change_sets[name_or_id]
        for change_set in self.change_sets.values():
            if change_set.name == name_or_id and stack_name in (change_set.stack.name, change_set.stack.id):
                return change_set
        raise ChangeSetMissingError(name_or_id)

    def execute(self, change_set: ChangeSet, *, rollback: bool = True, token: str | None = None) -> None:
        """Deploy a change set. Returns at the end of the deployment, or immediately if the clock is paced."""
        with self._lock:
            stack = change_set.stack
            if change_set.execution_status != "AVAILABLE":
                raise RequestRefusedError(
                    f"ChangeSet [{change_set.id}] cannot be executed "
                    f"in its current status of [{change_set.status}]"
                )
            self._refuse_unless_updatable(stack)
            policy = StackPolicy.parse(change_set.policy_during_update or stack.policy)
            change_set.execution_status = "EXECUTE_IN_PROGRESS"
            stack.disable_rollback = not rollback
            stack.retain_except_on_create = change_set.retain_except_on_create
            if not (stack.status.endswith("_FAILED") and stack.undo):
                stack.undo = []
            verb = "CREATE" if change_set.kind == "CREATE" else "UPDATE"
            self._start(stack, f"{verb}_IN_PROGRESS", token)

        def work() -> None:
            operations.deploy(
                self.account,
                change_set,
                self.exports,
                rollback=rollback,
                policy=policy,
                users=self._importers,
            )
            failed = "FAILED" in stack.status or "ROLLBACK" in stack.status
            change_set.execution_status = "EXECUTE_FAILED" if failed else "EXECUTE_COMPLETE"
            self.forget_change_sets(stack, keep=change_set)

        self._run(stack, work)

    def roll_back(
        self,
        stack: Stack,
        token: str | None = None,
        *,
        skip: Collection[str] = (),
        retain_except_on_create: bool = False,
    ) -> None:
        """Roll back a deployment that failed without a rollback."""
        with self._lock:
            if stack.status not in _TO_ROLL_BACK:
                raise RequestRefusedError(
                    f"Stack:{stack.id} is in {stack.status} state and can not be rolled back."
                )
            creating = stack.status in ("CREATE_FAILED", "ROLLBACK_FAILED")
            stack.retain_except_on_create = retain_except_on_create
            self._start(stack, "ROLLBACK_IN_PROGRESS" if creating else "UPDATE_ROLLBACK_IN_PROGRESS", token)
        self._run(stack, lambda: roll_back(self.account, stack, skip))

    def cancel_update(self, stack: Stack) -> None:
        """Cancel the running update, which is then rolled back."""
        with self._lock:
            if stack.status != "UPDATE_IN_PROGRESS":
                raise RequestRefusedError("CancelUpdateStack cannot be called from current stack status")
            stack.cancelled = True

    def delete(
        self,
        stack: Stack,
        token: str | None = None,
        *,
        retain: Collection[str] = (),
        force: bool = False,
    ) -> None:
        """Delete a stack, unless it is protected or in progress, or another stack imports its exports."""
        with self._lock:
            if stack.status in ("DELETE_COMPLETE", "DELETE_IN_PROGRESS"):
                return
            self._refuse_deletion(stack, retain, force=force)
            if self._cancelled_by_an_import(stack, token):
                return
            self._start(stack, "DELETE_IN_PROGRESS", token)

        def work() -> None:
            operations.delete(self.account, stack, retain=retain, force=force)
            self.forget_change_sets(stack)
            self._forget_old_stacks()

        self._run(stack, work)

    @staticmethod
    def _refuse_deletion(stack: Stack, retain: Collection[str], *, force: bool) -> None:
        if stack.protected:
            raise RequestRefusedError(
                f"Stack [{stack.name}] cannot be deleted while TerminationProtection is enabled"
            )
        if stack.busy:
            raise RequestRefusedError(
                f"Stack [{stack.name}] is in {stack.status} state and can not be deleted."
            )
        if (retain or force) and stack.status != "DELETE_FAILED":
            raise RequestRefusedError(
                f"Invalid operation on stack [{stack.id}]: resources can be retained, and a deletion forced, "
                "only for stacks in the DELETE_FAILED state"
            )
        unknown = sorted(set(retain) - set(stack.resources))
        if unknown:
            raise RequestRefusedError(f"Resources [{', '.join(unknown)}] do not exist in stack {stack.name}")

    def _importers(self, export: str) -> list[str]:
        """Return the stacks that import an export."""
        stacks = list(self.stacks.values())
        return sorted(s.name for s in stacks if export in s.imports and s.status != "DELETE_COMPLETE")

    def _cancelled_by_an_import(self, stack: Stack, token: str | None) -> bool:
        for other in list(self.stacks.values()):
            used = sorted(other.imports & stack.exports.keys())
            if used and other is not stack and other.status != "DELETE_COMPLETE":
                stack.token = token
                stack.enter(
                    "DELETE_FAILED",
                    f"Delete canceled. Cannot delete export {used[0]} as it is in use by {other.name}.",
                )
                return True
        return False

    def _start(self, stack: Stack, status: str, token: str | None) -> None:
        stack.start(token, self.account.pace)
        stack.enter(status, "User Initiated")

    def _run(self, stack: Stack, work: Callable[[], None]) -> None:
        """Run an operation synchronously, or in a thread if the clock is paced."""

        def to_an_end() -> None:
            try:
                work()
            except Exception as error:  # an internal error must not leave the stack in progress
                verb = stack.status.partition("_")[0]
                stack.enter(f"{verb}_FAILED", reason_of(error))

        if self.account.pace:
            Thread(target=to_an_end, daemon=True).start()
        else:
            to_an_end()

    def _forget_old_stacks(self) -> None:
        """Remove deleted stacks, except the latest ones; AWS lists deleted stacks for 90 days."""
        deleted = [stack.id for stack in self.stacks.values() if stack.status == "DELETE_COMPLETE"]
        for stack_id in deleted[:-KEPT_DELETED_STACKS]:
            del self.stacks[stack_id]

    def detect_drift(self, stack: Stack, only: Collection[str] = ()) -> StackDrift:
        """Compare a stack that is not in progress with the current state of its resources."""
        if stack.busy or stack.status in ("ROLLBACK_COMPLETE", "DELETE_COMPLETE", "REVIEW_IN_PROGRESS"):
            raise RequestRefusedError(
                f"Drift detection cannot be performed on stack [{stack.name}] in {stack.status} state"
            )
        return detect(self.account, stack, only)

    def forget_change_sets(self, stack: Stack, keep: ChangeSet | None = None) -> None:
        """Remove all change sets of a stack except `keep`, after the stack was deployed."""
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
        if stack.status in _DEAD_ENDS or stack.busy:
            raise RequestRefusedError(f"Stack:{stack.id} is in {stack.status} state and can not be updated.")

    @staticmethod
    def _parameter_values(stack: Stack, parameters: Mapping[str, str | None]) -> dict[str, str]:
        """Return the parameters of a request; where a value is None, the stack's previous value is used."""
        parameter_values = {}
        for name, value in parameters.items():
            previous = stack.parameter_values.get(name) if value is None else value
            if previous is not None:
                parameter_values[name] = previous
        return parameter_values

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
    """One backend for each account and Region, created at first use."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], Backend] = {}
        self._lock = RLock()

    def get(self, account: Account) -> Backend:
        """Return the backend of an account and Region."""
        with self._lock:
            return self._made.setdefault((account.account_id, account.region), Backend(account))

    def all(self) -> list[Backend]:
        """Return every backend in use."""
        with self._lock:
            return list(self._made.values())
