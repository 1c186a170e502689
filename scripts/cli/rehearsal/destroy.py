"""Destroy a profile's stack: list what is retained, confirm, remove the protection, delete."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from config.review.stateful import STATEFUL

from .assembly import Assembly
from .errors import RehearsalError
from .failed import explained_failure
from .paths import forget_paths, published_root, refuse_what_others_stand_on, template_text
from .progress import say
from .remaining import Place
from .reuse import Link, Reuse, links_of, reuse_of
from .session import Options, deploy_stack, synthesized
from .target import Target, stack_resources, target
from .toolkit import Toolkit

FILE_SYSTEM = "AWS::FSx::FileSystem"
_KEEPS = ("Retain", "RetainExceptOnCreate")
# these parameters are retained by the stack's deletion; destroy deletes them as well
_FORGOTTEN = "AWS::SSM::Parameter"


@dataclass(frozen=True)
class Retained:
    """A resource that is retained after the deletion of its stack."""

    logical_id: str
    type: str
    physical_id: str


@dataclass(frozen=True)
class Destroyed:
    """A deleted stack, and its retained resources."""

    stack: str
    region: str
    kept: tuple[Retained, ...]
    again: Reuse

    def as_text(self, *, bills: bool) -> str:
        """Return the retained resources and the instructions to reuse them."""
        number = len(self.kept)
        first = f"{self.stack} is destroyed; {number} resource{'s' if number != 1 else ''} retained"
        if number and bills:
            first += "; retained data is still billed"
        return "\n".join([first, *_listed(self.kept), *self.again.lines()])


def destroy(options: Options, *, confirm: str | None = None) -> Destroyed:
    """Delete the stack of a profile. `confirm` is the stack's name; if it is None, the user is prompted."""
    with (
        synthesized(options, options.profile) as assembly,
        target(aws=options.aws, account=assembly.account) as place,
    ):
        if confirm is not None:
            _check_name(confirm, assembly)
        if place.started:
            say("- the embedded cloud does not run: the stack is deployed first, and then destroyed")
            deploy_stack(options, assembly, place)
        return destroy_stack(options, assembly, place, confirm=confirm)


def destroy_stack(options: Options, assembly: Assembly, place: Target, *, confirm: str | None) -> Destroyed:
    """Delete the stack of an assembly after the confirmation."""
    stack = assembly.stack_name
    kept = retained_resources(place, assembly)
    refuse_what_others_stand_on(place, assembly)
    root = published_root(place, assembly)
    whose = Place(target=place, region=assembly.region, profile=stack, design=options.design())
    systems = [item.physical_id for item in kept if item.type == FILE_SYSTEM]
    links = links_of(whose, systems) if systems else ()
    say(notice(stack, kept, bills=options.aws))
    _check_name(asked(stack) if confirm is None else confirm, assembly)
    place.client("cloudformation", assembly.region).update_termination_protection(
        StackName=stack, EnableTerminationProtection=False
    )
    with explained_failure(place, assembly, "the stack was not deleted"):
        Toolkit(options.app, place.environment).destroy(assembly.folder)
    forget_paths(place, assembly, root)
    return Destroyed(stack, assembly.region, kept, reuse_after_deletion(whose, systems, links))


def reuse_after_deletion(whose: Place, systems: list[str], links: tuple[Link, ...]) -> Reuse:
    """Return the instructions to reuse retained resources, after the stack is deleted."""
    if not systems:
        return Reuse()
    try:
        return reuse_of(
            whose, whose.client("fsx").describe_file_systems(FileSystemIds=systems)["FileSystems"], links
        )
    except ClientError as error:
        say(f"- the retained file systems cannot be queried: {error}")
        return Reuse()


def retained_resources(place: Target, assembly: Assembly) -> tuple[Retained, ...]:
    """Return the resources that the deployed template retains; the profile may retain other resources."""
    found = _resources(place, assembly)
    cloudformation = place.client("cloudformation", assembly.region)
    try:
        template: Mapping[str, Any] = json.loads(template_text(cloudformation, assembly.stack_name))
    except ValueError:  # YAML; the CDK CLI deploys JSON
        raise RehearsalError(
            f"{assembly.stack_name} was not deployed by the CDK CLI, and is not changed"
        ) from None
    return tuple(
        Retained(r["LogicalResourceId"], r["ResourceType"], r.get("PhysicalResourceId", ""))
        for r in found
        if r["ResourceType"] != _FORGOTTEN
        and template["Resources"].get(r["LogicalResourceId"], {}).get("DeletionPolicy") in _KEEPS
    )


def _resources(place: Target, assembly: Assembly) -> list[Any]:
    cloudformation = place.client("cloudformation", assembly.region)
    try:
        return stack_resources(cloudformation, assembly.stack_name)
    except ClientError as error:
        if "does not exist" not in str(error):
            raise RehearsalError(f"{assembly.stack_name} cannot be read: {error}") from None
        raise RehearsalError(f"the stack {assembly.stack_name} does not exist in {assembly.region}") from None


def asked(stack: str) -> str:
    """Return the name that the user types; raises if there is no terminal."""
    try:
        # on stderr: stdout is for the result
        print(f"type the name of the stack to destroy it ({stack}): ", end="", file=sys.stderr, flush=True)
        return input()
    except (EOFError, RuntimeError, OSError):  # standard input is closed
        raise RehearsalError(
            "\nthere is no terminal for the confirmation, and the stack was not destroyed: set "
            f"CONFIRM={stack} (--confirm {stack})"
        ) from None


def _check_name(name: str, assembly: Assembly) -> None:
    if name.strip() != assembly.stack_name:
        raise RehearsalError(
            f"{name.strip()!r} is not the stack's name {assembly.stack_name!r}; the stack was not destroyed"
        )


def notice(stack: str, kept: tuple[Retained, ...], *, bills: bool) -> str:
    """Return a notice about retained resources, printed before the confirmation."""
    if not kept:
        return f"destroying {stack} removes all of its resources"
    data = [item for item in kept if item.type in STATEFUL]
    ending = ", which is billed until you delete it:" if bills else ":"
    lines = [f"destroying {stack} retains its data{ending}"] if data else [f"destroying {stack} retains:"]
    return "\n".join([*lines, *_listed(kept)])


def _listed(kept: tuple[Retained, ...]) -> list[str]:
    """Return the retained resources as text: data resources by id, other resources as a count per type."""
    data = [item for item in kept if item.type in STATEFUL]
    others = Counter(item.type.rpartition("::")[2] for item in kept if item.type not in STATEFUL)
    width = max((len(item.type) for item in data), default=0)
    lines = [
        f"  {item.type:<{width}}  {item.physical_id}  ({item.logical_id})"
        for item in sorted(data, key=lambda item: item.type)
    ]
    if others:
        lines.append(
            "  and resources that this data depends on: "
            f"{', '.join(f'{n} {kind}' for kind, n in sorted(others.items()))}"
        )
    return lines
