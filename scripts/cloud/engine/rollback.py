"""Rollback of a creation, of an update, and of a deployment that failed without a rollback."""

from __future__ import annotations

from collections.abc import Collection

from .account import Account
from .resources import ResourceWorker
from .schedule import reversed_graph, run
from .stack import Resource, Stack, Undo
from .steps import Deleting, Reverting

_OF_A_CREATION = ("CREATE_IN_PROGRESS", "CREATE_FAILED", "ROLLBACK_FAILED", "ROLLBACK_IN_PROGRESS")


def roll_back(account: Account, stack: Stack, skip: Collection[str] = ()) -> None:
    """Roll back the last failed operation; resources in `skip` are not changed and count as rolled back."""
    worker = ResourceWorker(account, stack, stack.tags)
    stack.undo = [step for step in stack.undo if step.after.logical_id not in skip]
    if stack.status in _OF_A_CREATION:
        _of_a_creation(worker, stack)
    else:
        _of_an_update(worker, stack)


def _of_a_creation(worker: ResourceWorker, stack: Stack) -> None:
    if stack.status != "ROLLBACK_IN_PROGRESS":
        stack.enter("ROLLBACK_IN_PROGRESS", "User Initiated")
    failed = _delete_new(worker, stack, forgiving=False)
    if failed:
        stack.enter("ROLLBACK_FAILED", _not_deleted(failed))
        return
    stack.undo, stack.failed = [], {}
    stack.enter("ROLLBACK_COMPLETE")


def _of_an_update(worker: ResourceWorker, stack: Stack) -> None:
    if stack.status != "UPDATE_ROLLBACK_IN_PROGRESS":
        stack.enter("UPDATE_ROLLBACK_IN_PROGRESS", "User Initiated")
    steps: dict[str, list[Undo]] = {}
    for step in stack.undo:
        if step.before is not None:
            steps.setdefault(step.after.logical_id, []).append(step)
    order = {name: of_name[0].before.needs for name, of_name in steps.items() if of_name[0].before}
    reverting = Reverting(worker, stack, steps)
    outcome = run(order, reverting, stack.clock, isolate=True)
    if not outcome.ok:
        unfinished = set(steps) - reverting.done
        stack.undo = [s for s in stack.undo if not s.in_place or s.after.logical_id in unfinished]
        named = ", ".join(sorted(outcome.failed))
        stack.enter("UPDATE_ROLLBACK_FAILED", f"The following resource(s) failed to update: [{named}].")
        return
    stack.enter("UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS")
    _delete_new(worker, stack, forgiving=True)
    stack.undo, stack.failed = [], {}
    stack.enter("UPDATE_ROLLBACK_COMPLETE")


def _delete_new(worker: ResourceWorker, stack: Stack, *, forgiving: bool) -> list[str]:
    """Delete the resources that the operation created; returns those that could not be deleted."""
    made: dict[str, Resource] = {}
    kept: set[str] = set()
    for number, step in enumerate(stack.undo):
        if step.in_place or step.deleted_first:
            continue
        name = step.after.logical_id
        key = name if name not in made else f"{name} ({number})"
        made[key] = step.after
        if step.after.deletion_policy == "Retain" and not stack.retain_except_on_create:
            kept.add(key)
    deleting = Deleting(worker, made, frozenset(kept), forgiving=forgiving)
    graph = reversed_graph({key: resource.needs for key, resource in made.items()})
    outcome = run(graph, deleting, stack.clock, isolate=True)
    deleted_ids = {made[key].physical_id for key in deleting.deleted}
    stack.undo = [s for s in stack.undo if s.in_place or s.after.physical_id not in deleted_ids]
    for key in deleting.deleted:
        name = made[key].logical_id
        current = stack.resources.get(name)
        if current is not None and current.physical_id == made[key].physical_id:
            del stack.resources[name]
    return sorted({made[key].logical_id for key in outcome.failed})


def _not_deleted(failed: list[str]) -> str:
    return f"The following resource(s) failed to delete: [{', '.join(failed)}]. "
