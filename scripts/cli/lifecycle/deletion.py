"""Delete a stack and follow its events; a deletion that another run started is followed too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from botocore.exceptions import ClientError

from scripts.cli.rehearsal.errors import RehearsalError
from scripts.cli.rehearsal.failed import reason_of

from .reporter import Reporter
from .where import Where

_POLL_S = 5.0
_GOING = "DELETE_IN_PROGRESS"
_WORDS = {"DELETE_COMPLETE": "deleted", "DELETE_SKIPPED": "retained", "DELETE_FAILED": "FAILED"}


def status_of(where: Where) -> str | None:
    """Return the status of the stack; None if it does not exist."""
    found = _stack(where, where.stack)
    return str(found["StackStatus"]) if found else None


def refuse_while_it_changes(stack: str, status: str) -> None:
    """Raise if an operation is in progress on the stack, except a deletion or a change set review."""
    if status.endswith("_IN_PROGRESS") and status not in (_GOING, "REVIEW_IN_PROGRESS"):
        raise RehearsalError(
            f"{stack} is {status}: wait until the operation is complete, or cancel the operation"
        )


def delete_stack(where: Where, reporter: Reporter) -> None:
    """Remove the protection, delete the stack, and wait for the deletion; raises if the deletion fails."""
    cloudformation, stack = where.client("cloudformation"), _stack(where, where.stack)
    if stack is None:
        return
    identity, total = stack["StackId"], len(where.resources())
    seen = {event["EventId"] for event in _events(where, identity)}
    if stack["StackStatus"] != _GOING:
        refuse_while_it_changes(where.stack, str(stack["StackStatus"]))
        if stack.get("EnableTerminationProtection"):
            cloudformation.update_termination_protection(
                StackName=identity, EnableTerminationProtection=False
            )
        cloudformation.delete_stack(StackName=identity)
    _follow(where, identity, seen, total, reporter)


def _follow(where: Where, identity: str, seen: set[str], total: int, reporter: Reporter) -> None:
    known, done = set(seen), 0
    while True:
        stack = _stack(where, identity)
        events = _events(where, identity)
        for event in reversed([event for event in events if event["EventId"] not in known]):
            known.add(event["EventId"])
            done += event["ResourceStatus"] in _WORDS
            _report_event(event, f"{min(done, total):>4}/{total}", reporter)
        status = "DELETE_COMPLETE" if stack is None else stack["StackStatus"]
        if status == "DELETE_COMPLETE":
            return
        if status != _GOING:
            new = [event for event in events if event["EventId"] not in seen]
            raise RehearsalError(
                f"the stack was not deleted: {reason_of(new) or f'it is {status}'}\n"
                f"to continue, run the same command again: {where.command('teardown')}"
            )
        where.target.sleep(_POLL_S)


def _report_event(event: dict[str, Any], count: str, reporter: Reporter) -> None:
    status, reason = event["ResourceStatus"], event.get("ResourceStatusReason", "")
    if status == _GOING:
        return
    kind = event["ResourceType"].removeprefix("AWS::")
    name = f" {event['LogicalResourceId']}: {reason}" if status == "DELETE_FAILED" else ""
    reporter.report(
        "deleted" if status == "DELETE_COMPLETE" else "stack-event",
        f"  {count} {_WORDS.get(status, status)} {kind}{name}",
        logical_id=event["LogicalResourceId"],
        type=event["ResourceType"],
        status=status,
        reason=reason,
    )


def _stack(where: Where, name: str) -> dict[str, Any] | None:
    try:
        (found,) = where.client("cloudformation").describe_stacks(StackName=name)["Stacks"]
    except ClientError as error:
        if "does not exist" not in str(error):
            raise
        return None
    stack: dict[str, Any] = found
    return None if stack["StackStatus"] == "DELETE_COMPLETE" and name == where.stack else stack


def _events(where: Where, identity: str) -> list[dict[str, Any]]:
    """Return the events of a stack's last deletion, the newest first."""
    try:
        pages = where.client("cloudformation").get_paginator("describe_stack_events")
        return list(_until_deletion(pages.paginate(StackName=identity)))
    except ClientError:
        return []


def _until_deletion(pages: Any) -> Iterator[dict[str, Any]]:
    """Yield events, the newest first, until the event that started the last deletion of the stack."""
    for page in pages:
        for event in page["StackEvents"]:
            yield event
            own = event.get("PhysicalResourceId") == event.get("StackId")
            if own and event["ResourceStatus"] == _GOING:
                return
