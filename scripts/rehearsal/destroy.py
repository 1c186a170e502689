"""Destroy a profile's stack: say what stays, ask for the name, lift the protection, delete."""

from __future__ import annotations

import json
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
        if place.started:
            say("- no embedded cloud is running: the stack is deployed first, then destroyed")
            deploy_stack(options, assembly, place)
        return destroy_stack(options, assembly, place, confirm=confirm)


def destroy_stack(options: Options, assembly: Assembly, place: Target, *, confirm: str | None) -> Destroyed:
    """Delete the stack of an assembly, once its name was given."""
    stack = assembly.stack_name
    kept = kept_resources(place, assembly)
    say(_notice(stack, kept))
    name = input(f"type the name of the stack to destroy it ({stack}): ") if confirm is None else confirm
    if name.strip() != stack:
        raise RehearsalError(f"{name.strip()!r} is not {stack!r}: nothing was destroyed")
    place.client("cloudformation", assembly.region).update_termination_protection(
        StackName=stack, EnableTerminationProtection=False
    )
    Toolkit(options.app, place.environment).destroy(assembly.folder)
    return Destroyed(stack, assembly.region, kept)


def kept_resources(place: Target, assembly: Assembly) -> tuple[Kept, ...]:
    """What the deployed template keeps: it may differ from the one at hand."""
    cloudformation = place.client("cloudformation", assembly.region)
    try:
        body = cloudformation.get_template(StackName=assembly.stack_name)["TemplateBody"]
        pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=assembly.stack_name)
        found = [resource for page in pages for resource in page["StackResourceSummaries"]]
    except ClientError as error:
        raise RehearsalError(
            f"there is no stack {assembly.stack_name} in {assembly.region}: {error}"
        ) from None
    template: Mapping[str, Any] = json.loads(body) if isinstance(body, str) else body
    return tuple(
        Kept(r["LogicalResourceId"], r["ResourceType"], r["PhysicalResourceId"])
        for r in found
        if template["Resources"].get(r["LogicalResourceId"], {}).get("DeletionPolicy") in _KEEPS
    )


def _notice(stack: str, kept: tuple[Kept, ...]) -> str:
    if not kept:
        return f"destroying {stack} removes all of its resources"
    lines = [
        f"destroying {stack} leaves {len(kept)} resources, "
        "which go on billing until they are deleted by hand:"
    ]
    lines += [
        f"  {item.type:<34} {item.physical_id}  ({item.logical_id})"
        for item in sorted(kept, key=lambda k: k.type)
    ]
    return "\n".join(lines)
