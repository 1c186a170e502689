"""Resource Groups operations that moto lacks: groups with explicit members, for example reservations."""

from __future__ import annotations

from moto.core.responses import ActionResult
from moto.resourcegroups import urls
from moto.resourcegroups.responses import ResourceGroupsResponse

from scripts.cloud.extensions.patch import add
from scripts.cloud.extensions.records import parsed, table


def _members(response: ResourceGroupsResponse) -> list[str]:
    request, backend = parsed(response), response.resourcegroups_backend
    name = (request.get("Group") or request.get("GroupName") or "").split(":group/")[-1]
    group = backend.get_group(name)
    members: list[str] = table(backend, "members").setdefault(group.arn, {"arns": []})["arns"]
    return members


def _group(self: ResourceGroupsResponse) -> ActionResult:
    members, wanted = _members(self), parsed(self)["ResourceArns"]
    members.extend(arn for arn in wanted if arn not in members)
    return ActionResult({"Succeeded": wanted, "Failed": [], "Pending": []})


def _ungroup(self: ResourceGroupsResponse) -> ActionResult:
    members, wanted = _members(self), parsed(self)["ResourceArns"]
    members[:] = [arn for arn in members if arn not in wanted]
    return ActionResult({"Succeeded": wanted, "Failed": [], "Pending": []})


def _list(self: ResourceGroupsResponse) -> ActionResult:
    found = [{"ResourceArn": arn, "ResourceType": _type_of(arn)} for arn in _members(self)]
    resources = [{"Identifier": identifier} for identifier in found]
    return ActionResult({"Resources": resources, "ResourceIdentifiers": found})


def _type_of(arn: str) -> str:
    service, resource = arn.split(":")[2], arn.split(":", 5)[5].split("/")[0]
    kind = "".join(word.capitalize() for word in resource.split("-"))
    return f"AWS::{service.upper()}::{kind}"


def install() -> None:
    """Add the operations to Resource Groups."""
    paths = ("group-resources", "ungroup-resources", "list-group-resources")
    urls.url_paths.update({f"{{0}}/{path}$": ResourceGroupsResponse.dispatch for path in paths})
    add(
        ResourceGroupsResponse, group_resources=_group, ungroup_resources=_ungroup, list_group_resources=_list
    )
