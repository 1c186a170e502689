"""Why CloudFormation failed, and what to do now: the last line of a rehearsal that did not go through."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import ClientError

from .assembly import Assembly
from .errors import RehearsalError
from .target import Target, every

_STACK = "AWS::CloudFormation::Stack"
_CANCELLED = "cancelled"  # what was under way when another failed
_AGAIN = "put right what it says, and deploy again"
_WHAT_NOW = {
    "CREATE_FAILED": f"what was made stays: {_AGAIN}, which goes on from there",
    "DELETE_FAILED": "the rest is deleted: put right what it says, and destroy again",
    "ROLLBACK_COMPLETE": f"what was made is gone again: {_AGAIN}; with `--no-rollback` what was made stays",
    "UPDATE_FAILED": f"what was changed stays: {_AGAIN}, which goes on from there",
    "UPDATE_ROLLBACK_COMPLETE": f"the stack is again as it was before: {_AGAIN}",
    "UPDATE_ROLLBACK_FAILED": "the way back failed too: put right what it says, then "
    "`aws cloudformation continue-update-rollback`",
}


@contextmanager
def told_why(target: Target, assembly: Assembly, failure: str) -> Iterator[None]:
    """Where the CDK CLI fails over a stack, the error names the resource, its reason and the way out."""
    before = {event["EventId"] for event in _events(target, assembly)}
    try:
        yield
    except RehearsalError as error:
        new = [event for event in _events(target, assembly) if event["EventId"] not in before]
        reason = reason_of(new)
        if reason is None:
            raise
        raise RehearsalError(f"{failure}: {reason}", error.status) from None


def reason_of(events: list[dict[str, Any]]) -> str | None:
    """What failed first, and what to do, from events with the newest first; None where nothing failed."""
    failed = [
        event
        for event in reversed(events)
        if event["ResourceStatus"].endswith("_FAILED") and event["ResourceType"] != _STACK
    ]
    first = next((e for e in failed if _CANCELLED not in e.get("ResourceStatusReason", "")), None)
    if first is None:
        return None
    status = next((e["ResourceStatus"] for e in events if e["ResourceType"] == _STACK), "")
    others = sum(_CANCELLED not in e.get("ResourceStatusReason", "") for e in failed) - 1
    beside = f" (and {others} more)" if others else ""
    reason = str(first.get("ResourceStatusReason", "no reason is given")).rstrip(".")
    told = f"{first['LogicalResourceId']} ({first['ResourceType']}): {reason}{beside}"
    return f"{told}\n{_WHAT_NOW.get(status, f'the stack is {status}: {_AGAIN}')}"


def _events(target: Target, assembly: Assembly) -> list[dict[str, Any]]:
    """Events of the stack, newest first; none where there is no stack."""
    cloudformation = target.client("cloudformation", assembly.region)
    try:
        return every(cloudformation, "describe_stack_events", "StackEvents", StackName=assembly.stack_name)
    except ClientError:
        return []
