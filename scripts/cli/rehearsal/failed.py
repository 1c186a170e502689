"""Reason of a failed CloudFormation operation, and the next step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import ClientError

from .assembly import Assembly
from .errors import RehearsalError
from .target import Target, every

_STACK = "AWS::CloudFormation::Stack"
_CANCELLED = "cancelled"  # operations that another failure cancelled
_AGAIN = "fix the error, and deploy again"
_WHAT_NOW = {
    "CREATE_FAILED": f"created resources are retained: {_AGAIN}; the deployment continues from there",
    "DELETE_FAILED": "the other resources are deleted: fix the error, and destroy again",
    "ROLLBACK_COMPLETE": "created resources are deleted, except those with `DeletionPolicy: Retain`: "
    f"{_AGAIN}; `--no-rollback` retains all created resources",
    "UPDATE_FAILED": f"changed resources remain changed: {_AGAIN}; the deployment continues from there",
    "UPDATE_ROLLBACK_COMPLETE": f"the stack has its previous state: {_AGAIN}",
    "UPDATE_ROLLBACK_FAILED": "the rollback failed too: fix the error, and run "
    "`aws cloudformation continue-update-rollback`",
}


@contextmanager
def explained_failure(target: Target, assembly: Assembly, failure: str) -> Iterator[None]:
    """If the CDK CLI fails, raise an error with the resource, the reason and the next step."""
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
    """Return the first failure and the next step from events, newest first; None if there is no failure."""
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
    reason = str(first.get("ResourceStatusReason", "CloudFormation returns no reason")).rstrip(".")
    failure = f"{first['LogicalResourceId']} ({first['ResourceType']}): {reason}{beside}"
    return f"{failure}\n{_WHAT_NOW.get(status, f'the stack is {status}: {_AGAIN}')}"


def _events(target: Target, assembly: Assembly) -> list[dict[str, Any]]:
    """Return the events of the stack, newest first; empty if there is no stack."""
    cloudformation = target.client("cloudformation", assembly.region)
    try:
        return every(cloudformation, "describe_stack_events", "StackEvents", StackName=assembly.stack_name)
    except ClientError:
        return []
