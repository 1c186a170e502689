"""Report file systems that remain from earlier stacks, before a deployment creates new ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

from config.design.model import Design

from .assembly import Assembly
from .progress import say
from .remaining import TAG, Place, latest, tagged
from .reuse import reuse_of
from .target import Target, every, stack_resources

_FILE_SYSTEM = "AWS::FSx::FileSystem"


def report_remaining(assembly: Assembly, target: Target, design: Design | None) -> None:
    """Report remaining file systems of the profile before a deployment creates a new one.

    The deployment continues, because an empty file system may be intended.
    """
    place = Place(target=target, region=assembly.region, profile=assembly.stack_name, design=design)
    try:
        left = _left(assembly, place)
        if left:
            say(_notice(place, left))
    except ClientError as error:
        say(f"- file systems of earlier stacks of {assembly.stack_name} cannot be queried: {error}")


def _left(assembly: Assembly, place: Place) -> list[Mapping[str, Any]]:
    """Return the profile's file systems outside its stack; empty if the deployment does not create one."""
    wanted = {
        name for name, resource in assembly.template["Resources"].items() if resource["Type"] == _FILE_SYSTEM
    }
    if not wanted:
        return []
    deployed = _deployed(assembly, place)
    if wanted <= deployed.keys():
        return []
    return [system for system in tagged(place) if system["FileSystemId"] not in deployed.values()]


def _deployed(assembly: Assembly, place: Place) -> dict[str, str]:
    """Return the file systems of the deployed stack by logical id; empty if there is no stack."""
    try:
        found = stack_resources(place.client("cloudformation"), assembly.stack_name)
    except ClientError as error:
        if "does not exist" not in str(error):
            raise
        return {}
    return {
        resource["LogicalResourceId"]: resource["PhysicalResourceId"]
        for resource in found
        if resource["ResourceType"] == _FILE_SYSTEM
        and resource.get("PhysicalResourceId")
        and not resource["ResourceStatus"].startswith("DELETE_")
    }


def _notice(place: Place, left: list[Mapping[str, Any]]) -> str:
    ids = ", ".join(system["FileSystemId"] for system in left)
    buckets = _buckets(place)
    lines = [f"- {ids} {'remain' if len(left) > 1 else 'remains'} from an earlier stack of {place.profile}:"]
    lines += ["  this deployment creates a new, empty file system"]
    lines += [f"  buckets of {place.profile}: {', '.join(buckets)}"] if buckets else []
    instructions = reuse_of(place, latest(left), ()).lines()
    return "\n".join([*lines, *(f"  {line}".rstrip() for line in instructions)])


def _buckets(place: Place) -> list[str]:
    """Return the buckets with the profile's tag; empty if the caller has no permission."""
    tagging = place.client("resourcegroupstaggingapi")
    wanted = [{"Key": TAG, "Values": [place.profile]}]
    try:
        asked = {"TagFilters": wanted, "ResourceTypeFilters": ["s3"]}
        found = every(tagging, "get_resources", "ResourceTagMappingList", **asked)
        return sorted(r["ResourceARN"].rpartition(":")[2] for r in found)
    except ClientError:
        return []
