"""Operations on a whole stack: deploy with rollback, roll back, delete."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scripts.cloudformation.errors import RequestRefusedError, ResourceFailedError
from scripts.cloudformation.functions import resolve
from scripts.cloudformation.graph import dependencies, in_order
from scripts.cloudformation.template import Template

from .account import Account
from .failure import reason_of
from .resources import KEPT, ResourceWorker
from .stack import ChangeSet, Resource, Stack, now
from .values import StackValues

Exports = Callable[[], Mapping[str, str]]


class _DeploymentFailedError(Exception):
    """A resource or an output failed; the events say why."""

    def __init__(self, logical_id: str | None, reason: str) -> None:
        super().__init__(reason)
        self.logical_id = logical_id


def deploy(account: Account, change_set: ChangeSet, exports: Exports, *, rollback: bool) -> None:
    """Bring the stack to the change set's template, or back to what it was."""
    stack, first = change_set.stack, change_set.kind == "CREATE"
    verb = "CREATE" if first else "UPDATE"
    stack.enter(f"{verb}_IN_PROGRESS", "User Initiated")
    if not first:
        stack.updated = now()
    before = {} if first else dict(stack.resources)
    worker = ResourceWorker(account, stack, change_set.tags)
    values = StackValues(account, stack, change_set.template, change_set.parameters, exports)
    try:
        active = _apply_all(worker, stack, change_set.template, values)
        outputs = _outputs(change_set.template, values)
    except _DeploymentFailedError as failure:
        _failed(account, stack, verb, failure, rollback=rollback, template=change_set.template)
        return
    _accept(stack, change_set, outputs, values)
    if not first:
        stack.enter("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS")
        _clean_up(worker, stack, before, active)
    stack.undo = []
    stack.enter(f"{verb}_COMPLETE")


def roll_back(account: Account, stack: Stack) -> None:
    """Undo the operation that failed last."""
    creating = stack.status in (
        "CREATE_IN_PROGRESS",
        "CREATE_FAILED",
        "ROLLBACK_FAILED",
        "ROLLBACK_IN_PROGRESS",
    )
    prefix = "ROLLBACK" if creating else "UPDATE_ROLLBACK"
    worker = ResourceWorker(account, stack, stack.tags)
    if stack.status != f"{prefix}_IN_PROGRESS":
        stack.enter(f"{prefix}_IN_PROGRESS", "User Initiated")
    failed = []
    for step in reversed(list(stack.undo)):
        try:
            worker.undo(step)
        except Exception as error:
            worker.failed(step.after.logical_id, step.after.type, "DELETE_FAILED", reason_of(error))
            failed.append(step.after.logical_id)
            continue
        stack.undo.remove(step)
        if step.before is None:
            stack.resources.pop(step.after.logical_id, None)
        elif not step.in_place:
            stack.resources[step.before.logical_id] = step.before
    if failed:
        stack.enter(
            f"{prefix}_FAILED", f"The following resource(s) failed to delete: [{', '.join(sorted(failed))}]."
        )
        return
    stack.enter(f"{prefix}_COMPLETE")


def delete(account: Account, stack: Stack) -> None:
    """Delete every resource that its policy does not keep, in reverse order."""
    stack.enter("DELETE_IN_PROGRESS", "User Initiated")
    worker = ResourceWorker(account, stack, stack.tags)
    failed: list[str] = []
    for resource in _reversed(stack.resources):
        if resource.deletion_policy in KEPT:
            worker.skip(resource)
            del stack.resources[resource.logical_id]
            continue
        dependents = [r.logical_id for r in stack.resources.values() if resource.logical_id in r.needs]
        if any(name in failed for name in dependents):
            failed.append(resource.logical_id)  # AWS does not try what a failed resource stands on
            continue
        try:
            worker.delete(resource)
        except Exception as error:
            worker.failed(resource.logical_id, resource.type, "DELETE_FAILED", reason_of(error))
            failed.append(resource.logical_id)
            continue
        del stack.resources[resource.logical_id]
    if failed:
        stack.enter(
            "DELETE_FAILED", f"The following resource(s) failed to delete: [{', '.join(sorted(failed))}]. "
        )
        return
    stack.outputs, stack.deleted = [], now()
    stack.enter("DELETE_COMPLETE")


def _apply_all(worker: ResourceWorker, stack: Stack, template: Template, values: StackValues) -> set[str]:
    """Every active resource in order; gives their names."""
    active: set[str] = set()
    try:
        graph = dependencies(template)
        active = {name for name, declared in template.resources.items() if values.is_active(declared)}
        order = [name for name in in_order(graph) if name in active]
    except (RequestRefusedError, ResourceFailedError) as error:
        raise _DeploymentFailedError(None, reason_of(error)) from None
    for logical_id in order:
        declared = template.resources[logical_id]
        try:
            worker.apply(logical_id, declared, graph[logical_id] & active, values)
        except Exception as error:
            reason = reason_of(error)
            status = "UPDATE_FAILED" if logical_id in stack.resources else "CREATE_FAILED"
            worker.failed(logical_id, declared["Type"], status, reason)
            raise _DeploymentFailedError(logical_id, reason) from None
    return active


def _outputs(template: Template, values: StackValues) -> list[dict[str, Any]]:
    outputs = []
    for name, declared in template.section("Outputs").items():
        try:
            if not values.is_active(declared):
                continue
            output = {"OutputKey": name, "OutputValue": str(resolve(declared["Value"], values))}
            if "Export" in declared:
                output["ExportName"] = str(resolve(declared["Export"]["Name"], values))
        except ResourceFailedError as error:
            raise _DeploymentFailedError(None, f"output {name}: {error}") from None
        if "Description" in declared:
            output["Description"] = declared["Description"]
        outputs.append(output)
    return outputs


def _failed(
    account: Account,
    stack: Stack,
    verb: str,
    failure: _DeploymentFailedError,
    *,
    rollback: bool,
    template: Template,
) -> None:
    doing = "create" if verb == "CREATE" else "update"
    reason = str(failure)
    if failure.logical_id is not None:
        reason = f"The following resource(s) failed to {doing}: [{failure.logical_id}]. "
    if not rollback:
        if verb == "CREATE":
            stack.template = template
        stack.enter(f"{verb}_FAILED", reason)
        return
    if verb == "CREATE":
        stack.template = template
        stack.enter("ROLLBACK_IN_PROGRESS", reason + "Rollback requested by user.")
    else:
        stack.enter("UPDATE_ROLLBACK_IN_PROGRESS", reason)
    roll_back(account, stack)


def _accept(stack: Stack, change_set: ChangeSet, outputs: list[dict[str, Any]], values: StackValues) -> None:
    stack.template, stack.outputs = change_set.template, outputs
    stack.parameters, stack.given_parameters = change_set.parameters, change_set.given_parameters
    stack.tags, stack.capabilities = change_set.tags, change_set.capabilities
    stack.role_arn = change_set.role_arn or stack.role_arn
    stack.imports = values.imported


def _clean_up(worker: ResourceWorker, stack: Stack, before: Mapping[str, Resource], active: set[str]) -> None:
    """Delete what was replaced or is no longer in the template, unless its policy keeps it."""
    for old in _reversed(before):
        new = stack.resources.get(old.logical_id)
        removed = old.logical_id not in active
        if not removed and new is not None and new.physical_id == old.physical_id:
            continue
        policy = old.deletion_policy if removed or new is None else new.replace_policy
        try:
            if policy in KEPT:
                worker.skip(old)
            else:
                worker.delete(old)
        except Exception as error:
            worker.failed(old.logical_id, old.type, "DELETE_FAILED", reason_of(error))
        if removed:
            stack.resources.pop(old.logical_id, None)


def _reversed(resources: Mapping[str, Resource]) -> list[Resource]:
    order = in_order({name: resource.needs for name, resource in resources.items()})
    return [resources[name] for name in reversed(order)]
