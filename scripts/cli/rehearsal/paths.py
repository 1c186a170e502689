"""The SSM parameters that lead clusters to a data stack: who reads them, and what is left of them.

CloudFormation knows nothing of what passes through them. They outlive their stack, as the data does: a
cluster that stands on it can still be updated. Their names are taken then, so they go once nobody reads them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from botocore.exceptions import ClientError

from .assembly import Assembly
from .errors import RehearsalError
from .progress import say
from .target import Target, every, stack_resources

_PARAMETER = "AWS::SSM::Parameter"
_VERSION = re.compile(r"/v1-[0-9a-f]+/[^/]+$")
_AT_ONCE = 10
"""Names that DeleteParameters takes (https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_DeleteParameters.html)."""


def root_of(names: Collection[str]) -> str | None:
    """Where a data profile publishes, whatever the version: `/ultracluster/NAME/`; None for no such name."""
    found = (_VERSION.sub("/", name) for name in names if _VERSION.search(name))
    return next(found, None)


def refuse_what_others_stand_on(place: Target, assembly: Assembly) -> None:
    """Refuse to destroy a data stack under a cluster, on whichever version of its paths it stands."""
    # what is deployed counts: the profile at hand may have changed since, and its paths with it
    root = root_of(_deployed(place, assembly))
    standing = _readers(place, assembly, root) if root else []
    if standing:
        raise RehearsalError(
            f"{', '.join(standing)} stands on {assembly.stack_name}, and would lose its network and "
            "links to S3: destroy it first"
        )


def published_root(place: Target, assembly: Assembly) -> str | None:
    """Where the deployed stack publishes; None where it does not."""
    return root_of(_deployed(place, assembly))


def forget_paths(place: Target, assembly: Assembly, root: str | None) -> None:
    """Delete what a data stack that is gone has left, every version of it; nobody stands on it."""
    if root:
        _delete(place, assembly, [name for name in _below(place, assembly, root) if _VERSION.search(name)])


def clear_left_paths(assembly: Assembly, place: Target) -> None:
    """Delete parameters that a data stack has left and that the next deployment would make anew.

    While a stack reads them they stay, and the deployment is refused: it would lead to another file system.
    """
    wanted = {
        str(resource["Properties"]["Name"])
        for resource in assembly.template["Resources"].values()
        if resource["Type"] == _PARAMETER and "Name" in resource.get("Properties", {})
    }
    root = root_of(wanted)
    left = (wanted & set(_below(place, assembly, root))) - _deployed(place, assembly) if root else set()
    if not left:
        return
    for prefix in sorted({name.rpartition("/")[0] + "/" for name in left}):
        standing = _readers(place, assembly, prefix)
        if standing:
            raise RehearsalError(
                f"{', '.join(standing)} stands on what an earlier {assembly.stack_name} left at {prefix}: "
                "destroy it first, or give the data profile another name"
            )
    _delete(place, assembly, sorted(left))


def _delete(place: Target, assembly: Assembly, names: list[str]) -> None:
    if names:
        say(f"- {len(names)} parameters of {assembly.stack_name} that nobody reads are deleted")
    ssm = place.client("ssm", assembly.region)
    for start in range(0, len(names), _AT_ONCE):
        ssm.delete_parameters(Names=names[start : start + _AT_ONCE])


def _below(place: Target, assembly: Assembly, root: str) -> Iterator[str]:
    asked = {"Path": root.rstrip("/"), "Recursive": True}
    ssm = place.client("ssm", assembly.region)
    return (one["Name"] for one in every(ssm, "get_parameters_by_path", "Parameters", **asked))


def _deployed(place: Target, assembly: Assembly) -> set[str]:
    """Names of the parameters of the deployed stack."""
    try:
        found = stack_resources(place.client("cloudformation", assembly.region), assembly.stack_name)
    except ClientError:
        return set()  # no such stack
    return {
        resource["PhysicalResourceId"]
        for resource in found
        if resource["ResourceType"] == _PARAMETER
        and resource.get("PhysicalResourceId")
        and not resource["ResourceStatus"].startswith("DELETE_")
    }


def _readers(place: Target, assembly: Assembly, prefix: str) -> list[str]:
    """Other stacks whose template names a parameter below a path: to resolve it, or to let nodes read it."""
    cloudformation = place.client("cloudformation", assembly.region)
    return sorted(
        stack["StackName"]
        for stack in every(cloudformation, "describe_stacks", "Stacks")
        if stack["StackName"] != assembly.stack_name
        and stack["StackStatus"] != "REVIEW_IN_PROGRESS"
        and prefix in template_text(cloudformation, stack["StackName"])
    )


def template_text(cloudformation: Any, stack: str) -> str:
    """The template of a deployed stack as one text."""
    try:
        body = cloudformation.get_template(StackName=stack)["TemplateBody"]
    except ClientError as error:
        raise RehearsalError(f"the template of {stack} cannot be read: {error}") from None
    return body if isinstance(body, str) else json.dumps(body)
