"""What is asked of the stack: whether it is there already, and whose it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from config.design.tags import PROFILE_TAG
from config.rules.preflight import codes
from scripts.cli.preflight.asking import Ask, MissingError
from scripts.cli.preflight.checks import Check, Permission, Verdict, check, needs, wrong
from scripts.cli.preflight.place import Place

_STUCK = {
    "ROLLBACK_COMPLETE": "its first creation was rolled back: lift its termination protection, delete it, deploy anew",
    "ROLLBACK_FAILED": "delete it with `aws cloudformation delete-stack`, and see what it keeps",
    "DELETE_FAILED": "finish its deletion: `ultracluster teardown` tells what stands in the way",
    "UPDATE_ROLLBACK_FAILED": "`aws cloudformation continue-update-rollback` brings it back",
}
"""States in which a stack takes no update, and the way out of each
(https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html)."""


def checks(place: Place) -> Iterator[Check]:
    """The check of the stack itself."""
    yield check("CloudFormation", f"the stack {place.design.profile.name}", permissions(place), _stack, place)


def permissions(place: Place) -> tuple[Permission, ...]:
    """What it takes to ask of the stack."""
    name = place.design.profile.name
    return needs("cloudformation:DescribeStacks", place.arn("cloudformation", f"stack/{name}/*"))


def stack_of(place: Place, ask: Ask) -> Mapping[str, Any] | None:
    """The profile's stack as CloudFormation tells of it; None where there is none."""
    name = place.design.profile.name
    try:
        told = ask("cloudformation", "DescribeStacks", StackName=name)["Stacks"]
    except MissingError:
        return None
    return next((one for one in told if one["StackName"] == name), None)


def is_deployed(place: Place, ask: Ask) -> bool:
    """Whether the profile's own stack is there: its machines and names are then its own."""
    stack = stack_of(place, ask)
    return stack is not None and _owner(stack) == place.design.profile.name


def _owner(stack: Mapping[str, Any]) -> str | None:
    return next((str(tag["Value"]) for tag in stack.get("Tags", ()) if tag["Key"] == PROFILE_TAG), None)


def _stack(place: Place, ask: Ask) -> Verdict:
    stack = stack_of(place, ask)
    if stack is None:
        return Verdict("not there yet")
    name, status = place.design.profile.name, str(stack["StackStatus"])
    owner = _owner(stack)
    if owner != name:
        whose = f"of the profile {owner}" if owner else f"without the tag {PROFILE_TAG}"
        message = f"there is a stack {name} already, {whose}: {status}"
        hint = "write another `name`, or an `environment`: the deployment would take the other stack's place"
        return wrong(f"another one, {status}", codes.STACK, ("name",), message, hint)
    way_out = _STUCK.get(status)
    if way_out is None and status.endswith("_IN_PROGRESS") and status != "REVIEW_IN_PROGRESS":
        way_out = "wait until it is done"
    if way_out is None:
        return Verdict(status)
    message = f"the stack {name} is {status}: it takes no update"
    return wrong(status, codes.STACK, ("name",), message, way_out)
