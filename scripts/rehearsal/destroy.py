"""Destroy a profile's stack: say what stays, ask for the name, lift the protection, delete."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from .assembly import Assembly
from .errors import RehearsalError
from .progress import say
from .session import Options, deploy_stack, synthesized
from .target import Target, target
from .toolkit import Toolkit

# what costs something by itself; networks and their rules do not
_BILLED = ("AWS::APS::Workspace", "AWS::FSx::FileSystem", "AWS::KMS::Key", "AWS::S3::Bucket")
_KEEPS = ("Retain", "RetainExceptOnCreate")


@dataclass(frozen=True)
class Kept:
    """A resource that outlives its stack."""

    logical_id: str
    type: str
    physical_id: str


@dataclass(frozen=True)
class Destroyed:
    """A stack that was deleted, and what it left."""

    stack: str
    region: str
    kept: tuple[Kept, ...]


def destroy(options: Options, *, confirm: str | None = None) -> Destroyed:
    """Delete the stack of a profile. `confirm` is the stack's name; without it the user is asked."""
    with (
        synthesized(options, options.profile) as assembly,
        target(aws=options.aws, account=assembly.account) as place,
    ):
        if confirm is not None:
            _check_name(confirm, assembly)
        if place.started:
            say("- no embedded cloud is running: the stack is deployed first, then destroyed")
            deploy_stack(options, assembly, place)
        return destroy_stack(options, assembly, place, confirm=confirm)


def destroy_stack(options: Options, assembly: Assembly, place: Target, *, confirm: str | None) -> Destroyed:
    """Delete the stack of an assembly, once its name was given."""
    stack = assembly.stack_name
    kept = kept_resources(place, assembly)
    _refuse_what_others_stand_on(place, assembly)
    say(_notice(stack, kept, bills=options.aws))
    _check_name(_asked(stack) if confirm is None else confirm, assembly)
    place.client("cloudformation", assembly.region).update_termination_protection(
        StackName=stack, EnableTerminationProtection=False
    )
    Toolkit(options.app, place.environment).destroy(assembly.folder)
    return Destroyed(stack, assembly.region, kept)


def kept_resources(place: Target, assembly: Assembly) -> tuple[Kept, ...]:
    """What the deployed template keeps: it may differ from the one at hand."""
    found = _resources(place, assembly)
    cloudformation = place.client("cloudformation", assembly.region)
    try:
        template: Mapping[str, Any] = json.loads(_template_text(cloudformation, assembly.stack_name))
    except ValueError:  # YAML: the CDK CLI deploys JSON
        raise RehearsalError(
            f"{assembly.stack_name} was not deployed by the CDK CLI: it is left alone"
        ) from None
    return tuple(
        Kept(r["LogicalResourceId"], r["ResourceType"], r.get("PhysicalResourceId", ""))
        for r in found
        if template["Resources"].get(r["LogicalResourceId"], {}).get("DeletionPolicy") in _KEEPS
    )


def _resources(place: Target, assembly: Assembly) -> list[Any]:
    cloudformation = place.client("cloudformation", assembly.region)
    try:
        pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=assembly.stack_name)
        return [resource for page in pages for resource in page["StackResourceSummaries"]]
    except ClientError as error:
        if "does not exist" not in str(error):
            raise RehearsalError(f"{assembly.stack_name} cannot be read: {error}") from None
        raise RehearsalError(f"there is no stack {assembly.stack_name} in {assembly.region}") from None


def _asked(stack: str) -> str:
    try:
        # on stderr: stdout is for the result
        print(f"type the name of the stack to destroy it ({stack}): ", end="", file=sys.stderr, flush=True)
        return input()
    except (EOFError, RuntimeError, OSError):  # closed, or nobody types
        raise RehearsalError(
            f"\nnobody answers here, and nothing was destroyed: give CONFIRM={stack} (--confirm {stack})"
        ) from None


def _check_name(name: str, assembly: Assembly) -> None:
    if name.strip() != assembly.stack_name:
        raise RehearsalError(f"{name.strip()!r} is not {assembly.stack_name!r}: nothing was destroyed")


def _refuse_what_others_stand_on(place: Target, assembly: Assembly) -> None:
    """A data stack under a cluster: CloudFormation knows nothing of ids that pass through SSM parameters."""
    # what is deployed counts: the profile at hand may have changed since, and its paths with it
    published = {
        resource["PhysicalResourceId"].rpartition("/")[0]
        for resource in _resources(place, assembly)
        if resource["ResourceType"] == "AWS::SSM::Parameter" and resource.get("PhysicalResourceId")
    }
    if not published:
        return
    cloudformation = place.client("cloudformation", assembly.region)
    standing = []
    for page in cloudformation.get_paginator("describe_stacks").paginate():
        for stack in page["Stacks"]:
            if stack["StackName"] == assembly.stack_name or stack["StackStatus"] == "REVIEW_IN_PROGRESS":
                continue
            text = _template_text(cloudformation, stack["StackName"])
            if any(f"resolve:ssm:{path}/" in text for path in published):
                standing.append(stack["StackName"])
    if standing:
        raise RehearsalError(
            f"{', '.join(sorted(standing))} stands on {assembly.stack_name}, and would lose its network and "
            "links to S3: destroy it first"
        )


def _template_text(cloudformation: Any, stack: str) -> str:
    try:
        body = cloudformation.get_template(StackName=stack)["TemplateBody"]
    except ClientError as error:
        raise RehearsalError(f"the template of {stack} cannot be read: {error}") from None
    return body if isinstance(body, str) else json.dumps(body)


def _notice(stack: str, kept: tuple[Kept, ...], *, bills: bool) -> str:
    if not kept:
        return f"destroying {stack} removes all of its resources"
    data = [item for item in kept if item.type in _BILLED]
    others = Counter(item.type.rpartition("::")[2] for item in kept if item.type not in _BILLED)
    ending = ", and goes on billing until it is deleted by hand:" if bills else ":"
    lines = [f"destroying {stack} leaves its data{ending}"] if data else [f"destroying {stack} leaves:"]
    width = max((len(item.type) for item in data), default=0)
    lines += [
        f"  {item.type:<{width}}  {item.physical_id}  ({item.logical_id})"
        for item in sorted(data, key=lambda item: item.type)
    ]
    if others:
        lines.append(
            f"  and what it stands on: {', '.join(f'{n} {kind}' for kind, n in sorted(others.items()))}"
        )
    return "\n".join(lines)
