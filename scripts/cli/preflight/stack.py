"""Check of the stack: existence, owner and status."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from config.design.tags import PROFILE_TAG
from config.rules.preflight import codes
from scripts.cli.preflight.asking import Ask, MissingError
from scripts.cli.preflight.checks import Check, Permission, Verdict, check, needs, wrong
from scripts.cli.preflight.place import Place

_STUCK = {
    "ROLLBACK_COMPLETE": "the first creation was rolled back: remove the termination protection, delete the stack, and deploy again",
    "ROLLBACK_FAILED": "delete the stack with `aws cloudformation delete-stack`, and check which resources are retained",
    "DELETE_FAILED": "run `ultracluster teardown`, which reports what prevents the deletion",
    "UPDATE_ROLLBACK_FAILED": "run `aws cloudformation continue-update-rollback` to repair the stack",
}
"""Stack statuses that do not allow an update, and the solution for each
(https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html)."""


def checks(place: Place) -> Iterator[Check]:
    """Yield the check of the stack."""
    yield check("CloudFormation", f"the stack {place.design.profile.name}", permissions(place), _stack, place)


def permissions(place: Place) -> tuple[Permission, ...]:
    """Return the permissions for queries about the stack."""
    name = place.design.profile.name
    return needs("cloudformation:DescribeStacks", place.arn("cloudformation", f"stack/{name}/*"))


def stack_of(place: Place, ask: Ask) -> Mapping[str, Any] | None:
    """Return the profile's stack as CloudFormation describes it; None if it does not exist."""
    name = place.design.profile.name
    try:
        answer = ask("cloudformation", "DescribeStacks", StackName=name)["Stacks"]
    except MissingError:
        return None
    return next((one for one in answer if one["StackName"] == name), None)


def is_deployed(place: Place, ask: Ask) -> bool:
    """Return whether the stack exists and was deployed from this profile.

    If so, existing instances and names of the stack belong to the profile.
    """
    stack = stack_of(place, ask)
    return stack is not None and _owner(stack) == place.design.profile.name


def _owner(stack: Mapping[str, Any]) -> str | None:
    return next((str(tag["Value"]) for tag in stack.get("Tags", ()) if tag["Key"] == PROFILE_TAG), None)


def _stack(place: Place, ask: Ask) -> Verdict:
    stack = stack_of(place, ask)
    if stack is None:
        return Verdict("does not exist yet")
    name, status = place.design.profile.name, str(stack["StackStatus"])
    owner = _owner(stack)
    if owner != name:
        whose = f"belongs to the profile {owner}" if owner else f"does not have the tag {PROFILE_TAG}"
        message = f"a stack with the name `{name}` exists already (status {status}), but {whose}"
        hint = "write another `name`, or an `environment`, because the deployment would overwrite the other stack"
        return wrong(f"another stack, {status}", codes.STACK, ("name",), message, hint)
    way_out = _STUCK.get(status)
    if way_out is None and status.endswith("_IN_PROGRESS") and status != "REVIEW_IN_PROGRESS":
        way_out = "wait until the operation is complete"
    if way_out is None:
        return Verdict(status)
    message = f"the stack {name} is {status} and cannot be updated"
    return wrong(status, codes.STACK, ("name",), message, way_out)
