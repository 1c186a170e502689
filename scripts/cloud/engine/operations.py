"""Deployment and deletion of a stack. A failed deployment is rolled back (see rollback)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from config.rules.codes import CODES
from config.rules.waivers import waived_in
from scripts.cloud.template.document import Template
from scripts.cloud.template.errors import RequestRefusedError, ResourceFailedError
from scripts.cloud.template.functions import resolve
from scripts.cloud.template.graph import dependencies, in_order

from .account import Account
from .failure import reason_of
from .policy import StackPolicy
from .resources import KEPT, ResourceWorker
from .rollback import roll_back
from .schedule import Outcome, reversed_graph, run
from .stack import ChangeSet, Resource, Stack, now
from .steps import Applying, Deleting, kept_by_policy
from .values import StackValues

Exports = Callable[[], Mapping[str, str]]
Users = Callable[[str], list[str]]


class _DeploymentFailedError(Exception):
    """The deployment cannot continue; the message becomes the status reason of the stack."""


def deploy(
    account: Account,
    change_set: ChangeSet,
    exports: Exports,
    *,
    rollback: bool,
    policy: StackPolicy | None = None,
    users: Users = lambda export: [],
) -> None:
    """Deploy a change set to its stack; if the deployment fails and `rollback` is True, roll it back."""
    stack, first = change_set.stack, change_set.kind == "CREATE"
    verb = "CREATE" if first else "UPDATE"
    if not first:
        stack.updated = now()
    before = {} if first else dict(stack.resources)
    waivers = waived_in(change_set.template.section("Metadata"), CODES)
    worker = ResourceWorker(account, stack, change_set.tags, policy, waivers)
    values = StackValues(account, stack, change_set.template, change_set.parameters, exports)
    try:
        active = _apply_all(worker, stack, change_set.template, values, policy, isolate=not rollback)
        outputs = _outputs(change_set.template, values)
        _keep_exports(stack, outputs, exports(), users)
    except _DeploymentFailedError as failure:
        stack.imports |= values.imported
        if first:
            stack.template = change_set.template
            stack.parameters, stack.parameter_values = change_set.parameters, change_set.parameter_values
        _failed(account, stack, verb, str(failure), rollback=rollback)
        return
    _accept(stack, change_set, outputs, values)
    if not first:
        stack.enter("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS")
        _clean_up(worker, stack, before, active)
    stack.undo, stack.failed = [], {}
    stack.enter(f"{verb}_COMPLETE")


def delete(account: Account, stack: Stack, *, retain: Collection[str] = (), force: bool = False) -> None:
    """Delete each resource that its deletion policy does not retain, in reverse order.

    `retain` names additional resources to retain. With `force`, resources that cannot be deleted are retained
    too.
    """
    worker = ResourceWorker(account, stack, stack.tags)
    resources = {**_left_behind(stack), **stack.resources}
    kept = kept_by_policy(resources) | frozenset(retain)
    deleting = Deleting(worker, resources, kept, forgiving=force)
    graph = reversed_graph({name: resource.needs for name, resource in resources.items()})
    outcome = run(graph, deleting, stack.clock, isolate=True)
    for name in deleting.deleted:
        stack.resources.pop(name, None)
    stack.undo = [step for step in stack.undo if step.after.logical_id not in deleting.deleted]
    if outcome.failed:
        named = ", ".join(sorted(outcome.failed))
        stack.enter("DELETE_FAILED", f"The following resource(s) failed to delete: [{named}]. ")
        return
    stack.outputs, stack.failed, stack.undo, stack.deleted = [], {}, [], now()
    stack.enter("DELETE_COMPLETE")


def _apply_all(
    worker: ResourceWorker,
    stack: Stack,
    template: Template,
    values: StackValues,
    policy: StackPolicy | None,
    *,
    isolate: bool,
) -> set[str]:
    """Deploy each active resource in order; returns their logical ids."""
    try:
        graph = dependencies(template)
        active = {name for name, declared in template.resources.items() if values.is_active(declared)}
        needs = {name: graph[name] & active for name in in_order(graph) if name in active}
    except (RequestRefusedError, ResourceFailedError) as error:
        raise _DeploymentFailedError(reason_of(error)) from None
    _allow_removals(worker, stack, active, policy)
    steps = Applying(worker, stack, template, needs, values)
    outcome = run(needs, steps, stack.clock, isolate=isolate, stop=lambda: stack.cancelled)
    if not outcome.ok:
        raise _DeploymentFailedError(_not_done(outcome, stack))
    return active


def _allow_removals(
    worker: ResourceWorker, stack: Stack, active: set[str], policy: StackPolicy | None
) -> None:
    for name, resource in stack.resources.items():
        message = policy and name not in active and policy.refusal("Update:Delete", name, resource.type)
        if message:
            worker.failed(name, resource.type, "UPDATE_FAILED", message)
            raise _DeploymentFailedError(f"The following resource(s) failed to update: [{name}]. ")


def _not_done(outcome: Outcome, stack: Stack) -> str:
    if stack.cancelled and not outcome.failed:
        return "User Initiated"
    names = outcome.failed + outcome.cancelled
    parts = []
    for doing, status in (("create", "CREATE_FAILED"), ("update", "UPDATE_FAILED")):
        named = [n for n in names if n in stack.failed and stack.failed[n].status == status]
        if named:
            parts.append(f"The following resource(s) failed to {doing}: [{', '.join(named)}]. ")
    return "".join(parts)


def _text_of(value: Any) -> str:
    """Return an output value as text; CloudFormation also accepts numbers and booleans."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str | int | float):
        raise ResourceFailedError("Template format error: Output values must be of type String")
    return str(value)


def _outputs(template: Template, values: StackValues) -> list[dict[str, Any]]:
    outputs = []
    for name, declared in template.section("Outputs").items():
        try:
            if not values.is_active(declared):
                continue
            output = {"OutputKey": name, "OutputValue": _text_of(resolve(declared["Value"], values))}
            if "Export" in declared:
                output["ExportName"] = str(resolve(declared["Export"]["Name"], values))
        except ResourceFailedError as error:
            raise _DeploymentFailedError(f"output {name}: {error}") from None
        if "Description" in declared:
            output["Description"] = declared["Description"]
        outputs.append(output)
    return outputs


def _keep_exports(
    stack: Stack, outputs: list[dict[str, Any]], exported: Mapping[str, str], users: Users
) -> None:
    """Reject a change of an export that other stacks import, and an export name that another stack has."""
    mine = {o["ExportName"]: o["OutputValue"] for o in outputs if "ExportName" in o}
    for name, value in stack.exports.items():
        used_by = users(name)
        if used_by and mine.get(name) != value:
            doing = "updated" if name in mine else "deleted"
            raise _DeploymentFailedError(
                f"Export {name} cannot be {doing} as it is in use by {' and '.join(used_by)}"
            )
    for name in mine.keys() - stack.exports.keys():
        if name in exported:
            raise _DeploymentFailedError(f"Export with name {name} is already exported by another stack")


def _failed(account: Account, stack: Stack, verb: str, reason: str, *, rollback: bool) -> None:
    if not rollback:
        stack.enter(f"{verb}_FAILED", reason)
        return
    if verb == "CREATE":
        stack.enter("ROLLBACK_IN_PROGRESS", reason + "Rollback requested by user.")
    else:
        stack.enter("UPDATE_ROLLBACK_IN_PROGRESS", reason)
    roll_back(account, stack)


def _accept(stack: Stack, change_set: ChangeSet, outputs: list[dict[str, Any]], values: StackValues) -> None:
    stack.template, stack.outputs = change_set.template, outputs
    stack.parameters, stack.parameter_values = change_set.parameters, change_set.parameter_values
    stack.tags, stack.capabilities = change_set.tags, change_set.capabilities
    stack.role_arn = change_set.role_arn or stack.role_arn
    stack.imports = values.imported


def _clean_up(worker: ResourceWorker, stack: Stack, before: Mapping[str, Resource], active: set[str]) -> None:
    """Delete resources that were replaced or removed from the template, unless their policy retains them."""
    gone_already = {s.before.physical_id for s in stack.undo if s.deleted_first and s.before}
    old, kept = _left_behind(stack), set()
    for name, resource in before.items():
        new = stack.resources.get(name)
        removed = name not in active or new is None
        if (new is not None and not removed and new.physical_id == resource.physical_id) or (
            resource.physical_id in gone_already
        ):
            continue
        old[name] = resource
        policy = resource.deletion_policy if removed or new is None else new.replace_policy
        if policy in KEPT:
            kept.add(name)
    steps = Deleting(worker, old, frozenset(kept), forgiving=True)
    run(
        reversed_graph({name: resource.needs for name, resource in old.items()}),
        steps,
        stack.clock,
        isolate=True,
    )
    for name in set(before) - active:
        stack.resources.pop(name, None)


def _left_behind(stack: Stack) -> dict[str, Resource]:
    """Return the resources, with replacements, that failed operations created and no rollback deleted."""
    left = [step.after for step in stack.undo if step.after.physical_id not in _physical_ids(stack)]
    return {
        made.logical_id if made.logical_id not in stack.resources else f"{made.logical_id} ({number})": made
        for number, made in enumerate(left)
    }


def _physical_ids(stack: Stack) -> set[str]:
    return {resource.physical_id for resource in stack.resources.values()}
