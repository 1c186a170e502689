"""Grafana workspace in another Region, which CloudFormation cannot create from this stack."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import boto3
from botocore.exceptions import ClientError

from .accounts import Workspace
from .retries import GoneError, NoTimeError, RefusedError, Retries

OWNER = "ultracluster:resource"  # tag with which a resource finds its workspace
LONGEST_TAG = 256

Json = dict[str, Any]


def owner_of(event: Mapping[str, Any]) -> str:
    """Return the name of the resource of a request, which is the same for all its requests."""
    stack = event["StackId"].rpartition("/")[2]
    return f"{stack}/{event['LogicalResourceId']}"[:LONGEST_TAG]


def put_workspace(event: Mapping[str, Any], answer: Json, retries: Retries) -> None:
    """Create or update the workspace; a repeated request does not create a second one."""
    properties = event["ResourceProperties"]
    region, wanted = properties["Region"], json.loads(properties["Settings"])
    tags = json.loads(properties["Tags"]) | {OWNER: owner_of(event)}
    found = _find(region, owner_of(event), retries) or _create(event, wanted, tags, retries)
    answer["PhysicalResourceId"] = f"{region}/{found}"
    workspace = Workspace(found, region, retries)
    there = workspace.ready()
    _update(workspace, there, properties["RoleArn"], wanted)
    _authenticate(workspace, wanted)
    _upgrade(workspace, wanted["grafanaVersion"])
    _tag(workspace, event, tags)
    answer["Data"] = {"WorkspaceId": found, "Endpoint": there["endpoint"]}


def delete_workspace(event: Mapping[str, Any], retries: Retries) -> None:
    """Delete the workspace of the resource, if it exists, and wait for the deletion."""
    region, _, workspace_id = event["PhysicalResourceId"].partition("/")
    if not workspace_id.startswith("g-"):
        return
    workspace = Workspace(workspace_id, region, retries)
    try:
        workspace.call(workspace.grafana.delete_workspace)
        while True:
            workspace.call(workspace.grafana.describe_workspace)
            retries.wait(f"{workspace_id} is still being deleted")
    except GoneError:
        return
    except NoTimeError as error:
        print(f"WARNING: {error}: the deletion continues without the stack")


def _find(region: str, owner: str, retries: Retries) -> str | None:
    grafana: Any = boto3.client("grafana", region_name=region)
    request: Json = {}
    while True:
        page = retries.call(grafana.list_workspaces, **request)
        for workspace in page["workspaces"]:
            if workspace.get("tags", {}).get(OWNER) == owner and workspace["status"] != "DELETING":
                found: str = workspace["id"]
                return found
        if not page.get("nextToken"):
            return None
        request["nextToken"] = page["nextToken"]


def _create(event: Mapping[str, Any], wanted: Json, tags: Json, retries: Retries) -> str:
    region, role_arn = event["ResourceProperties"]["Region"], event["ResourceProperties"]["RoleArn"]
    if event["RequestType"] == "Update" and event["OldResourceProperties"]["Region"] == region:
        raise RefusedError(
            f"{event['PhysicalResourceId']} no longer exists: remove it from the stack and add it again"
        )
    grafana: Any = boto3.client("grafana", region_name=region)
    network = {name: wanted[name] for name in ("networkAccessControl", "vpcConfiguration") if name in wanted}
    made: str = retries.call(
        grafana.create_workspace,
        clientToken=event["RequestId"],
        workspaceRoleArn=role_arn,
        authenticationProviders=wanted["authenticationProviders"],
        configuration=json.dumps({"plugins": {"pluginAdminEnabled": wanted["pluginAdminEnabled"]}}),
        grafanaVersion=wanted["grafanaVersion"],
        tags=tags,
        **_common(wanted),
        **network,
    )["workspace"]["id"]
    return made


def _common(wanted: Json) -> Json:
    return {
        "workspaceName": wanted["workspaceName"],
        "accountAccessType": wanted["accountAccessType"],
        "permissionType": wanted["permissionType"],
        "workspaceDataSources": wanted["workspaceDataSources"],
    }


def _update(workspace: Workspace, there: Mapping[str, Any], role_arn: str, wanted: Json) -> None:
    changes: Json = {}
    if there.get("name") != wanted["workspaceName"]:
        changes["workspaceName"] = wanted["workspaceName"]
    if there.get("workspaceRoleArn") != role_arn:
        changes["workspaceRoleArn"] = role_arn
    for name, remove in (
        ("networkAccessControl", "removeNetworkAccessConfiguration"),
        ("vpcConfiguration", "removeVpcConfiguration"),
    ):
        if name in wanted and _sorted(there.get(name)) != _sorted(wanted[name]):
            changes[name] = wanted[name]
        elif name not in wanted and there.get(name):
            changes[remove] = True
    if changes:
        workspace.call(workspace.grafana.update_workspace, **changes)
        workspace.ready()


def _sorted(lists: Mapping[str, Any] | None) -> Json:
    return {name: sorted(ids) for name, ids in (lists or {}).items()}


def _authenticate(workspace: Workspace, wanted: Json) -> None:
    there = workspace.call(workspace.grafana.describe_workspace_authentication)["authentication"]
    saml = wanted.get("saml")
    same = there["providers"] == wanted["authenticationProviders"]
    if not same or (saml and there.get("saml", {}).get("configuration") != saml):
        workspace.call(
            workspace.grafana.update_workspace_authentication,
            authenticationProviders=wanted["authenticationProviders"],
            **({"samlConfiguration": saml} if saml else {}),
        )


def _upgrade(workspace: Workspace, version: str) -> None:
    """Upgrade an older workspace; a newer one is not changed, since versions cannot be lowered."""
    there = workspace.call(workspace.grafana.describe_workspace_configuration)
    if _numbers(there["grafanaVersion"]) < _numbers(version):
        workspace.call(
            workspace.grafana.update_workspace_configuration,
            configuration=there["configuration"] or "{}",
            grafanaVersion=version,
        )
        workspace.ready()


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def _tag(workspace: Workspace, event: Mapping[str, Any], tags: Json) -> None:
    """Update changed tags, and remove tags that are no longer set."""
    partition, _, account = event["StackId"].split(":")[1:2] + event["StackId"].split(":")[3:5]
    region = event["ResourceProperties"]["Region"]
    arn = f"arn:{partition}:grafana:{region}:{account}:/workspaces/{workspace.id}"
    before = json.loads(event.get("OldResourceProperties", {}).get("Tags", "{}"))
    try:
        there = workspace.grafana.list_tags_for_resource(resourceArn=arn)["tags"]
        if there | tags != there:
            workspace.grafana.tag_resource(resourceArn=arn, tags=tags)
        gone = sorted(before.keys() & there.keys() - tags.keys())
        if gone:
            workspace.grafana.untag_resource(resourceArn=arn, tagKeys=gone)
    except ClientError as error:
        raise RefusedError(f"tags of {workspace.id}: {error}") from error
