"""Find the stacks that read the SSM parameters of a data stack, and delete the parameters.

CloudFormation does not know which stacks read the parameters. The parameters are retained when the data stack
is deleted, so that a cluster can still be updated. While a retained parameter exists, another stack cannot
create a parameter with its name; the parameter is therefore deleted when no stack reads it.
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
"""Maximum number of names for DeleteParameters (https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_DeleteParameters.html)."""


def root_of(names: Collection[str]) -> str | None:
    """Return the path of a data profile's parameters, `/ultracluster/NAME/`; None if no name matches."""
    found = (_VERSION.sub("/", name) for name in names if _VERSION.search(name))
    return next(found, None)


def refuse_what_others_stand_on(place: Target, assembly: Assembly) -> None:
    """Raise an error if a cluster reads any version of a data stack's parameters."""
    # use the deployed paths: the current profile may have other ones
    root = root_of(_deployed(place, assembly))
    standing = _readers(place, assembly, root) if root else []
    if standing:
        clusters = ", ".join(standing)
        raise RehearsalError(
            f"the network and the data repository associations of {assembly.stack_name} are used by "
            f"{clusters}: destroy {clusters} first"
        )


def published_root(place: Target, assembly: Assembly) -> str | None:
    """Return the path of the deployed stack's parameters; None if the stack has no parameters."""
    return root_of(_deployed(place, assembly))


def forget_paths(place: Target, assembly: Assembly, root: str | None) -> None:
    """Delete the parameters of a deleted data stack, in all versions."""
    if root:
        _delete(place, assembly, [name for name in _below(place, assembly, root) if _VERSION.search(name)])


def clear_left_paths(assembly: Assembly, place: Target) -> None:
    """Delete the parameters that a deleted data stack has left and that the next deployment creates.

    Raises an error if a stack still reads the parameters: the deployment would create a file system that this
    stack does not use.
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
            clusters = ", ".join(standing)
            raise RehearsalError(
                f"parameters that an earlier {assembly.stack_name} left at {prefix} are used by "
                f"{clusters}: destroy {clusters} first, or set another `name` in the data profile"
            )
    _delete(place, assembly, sorted(left))


def _delete(place: Target, assembly: Assembly, names: list[str]) -> None:
    if names:
        are = "parameter" if len(names) == 1 else "parameters"
        say(f"- {len(names)} {are} of {assembly.stack_name} without readers: deleted")
    ssm = place.client("ssm", assembly.region)
    for start in range(0, len(names), _AT_ONCE):
        ssm.delete_parameters(Names=names[start : start + _AT_ONCE])


def _below(place: Target, assembly: Assembly, root: str) -> Iterator[str]:
    asked = {"Path": root.rstrip("/"), "Recursive": True}
    ssm = place.client("ssm", assembly.region)
    return (one["Name"] for one in every(ssm, "get_parameters_by_path", "Parameters", **asked))


def _deployed(place: Target, assembly: Assembly) -> set[str]:
    """Return the names of the deployed stack's parameters."""
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
    """Return other stacks whose template contains a parameter path with this prefix."""
    cloudformation = place.client("cloudformation", assembly.region)
    return sorted(
        stack["StackName"]
        for stack in every(cloudformation, "describe_stacks", "Stacks")
        if stack["StackName"] != assembly.stack_name
        and stack["StackStatus"] != "REVIEW_IN_PROGRESS"
        and prefix in template_text(cloudformation, stack["StackName"])
    )


def template_text(cloudformation: Any, stack: str) -> str:
    """Return the template of a deployed stack as text."""
    try:
        body = cloudformation.get_template(StackName=stack)["TemplateBody"]
    except ClientError as error:
        raise RehearsalError(f"the template of {stack} cannot be read: {error}") from None
    return body if isinstance(body, str) else json.dumps(body)
