"""Amazon Managed Grafana."""

# ruff: noqa: D102 - create, update, delete and read are described by Model

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.base import (
    Context,
    Created,
    Existing,
    Model,
    Properties,
    found,
    known,
    only,
    retag,
)
from scripts.cloud.resources.casing import camel, pascal

# property to request parameter, where they differ
_RENAMED = {
    "DataSources": "workspaceDataSources",
    "Description": "workspaceDescription",
    "Name": "workspaceName",
    "NotificationDestinations": "workspaceNotificationDestinations",
    "OrganizationalUnits": "workspaceOrganizationalUnits",
    "RoleArn": "workspaceRoleArn",
}
_SAME = (
    "AccountAccessType",
    "OrganizationRoleName",
    "PermissionType",
    "StackSetName",
    "VpcConfiguration",
    "NetworkAccessControl",
)
_TOLD = (
    "accountAccessType",
    "dataSources",
    "description",
    "name",
    "networkAccessControl",
    "notificationDestinations",
    "organizationRoleName",
    "organizationalUnits",
    "permissionType",
    "stackSetName",
    "vpcConfiguration",
    "grafanaVersion",
)


class Workspace(Model):
    """A workspace of Grafana."""

    type = "AWS::Grafana::Workspace"

    def create(self, context: Context, properties: Properties) -> Created:
        grafana = context.client("grafana")
        workspace_id = grafana.create_workspace(
            authenticationProviders=properties["AuthenticationProviders"],
            configuration=_configuration({}, properties),
            **camel(only(properties, "GrafanaVersion")),
            **self._request(properties),
            tags=context.tags(properties),
        )["workspace"]["id"]
        context.claim(workspace_id)
        if "SamlConfiguration" in properties:
            self._authenticate(grafana, workspace_id, properties)
        return Created(workspace_id, self._attributes(grafana, workspace_id))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        grafana, workspace_id = context.client("grafana"), existing.physical_id
        gone = {
            parameter: True
            for name, parameter in (
                ("VpcConfiguration", "removeVpcConfiguration"),
                ("NetworkAccessControl", "removeNetworkAccessConfiguration"),
            )
            if name in existing.properties and name not in properties
        }
        grafana.update_workspace(workspaceId=workspace_id, **self._request(properties), **gone)
        if _signs_in(properties) != _signs_in(existing.properties):
            self._authenticate(grafana, workspace_id, properties)
        self._configure(grafana, workspace_id, existing.properties, properties)
        arn = f"arn:aws:grafana:{context.region}:{context.account_id}:/workspaces/{workspace_id}"
        retag(context, grafana, arn, existing.properties, properties)
        return self._attributes(grafana, workspace_id)

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("grafana").delete_workspace(workspaceId=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        grafana, workspace = context.client("grafana"), {"workspaceId": existing.physical_id}
        answer = found(grafana.describe_workspace, **workspace)
        if answer is None:
            return None
        text = grafana.describe_workspace_configuration(**workspace)["configuration"]
        authentication = grafana.describe_workspace_authentication(**workspace)["authentication"]
        return known(
            **pascal(only(answer["workspace"], *_TOLD)),
            RoleArn=answer["workspace"].get("workspaceRoleArn"),
            AuthenticationProviders=sorted(authentication["providers"]),
            SamlConfiguration=pascal(authentication.get("saml", {}).get("configuration")),
            PluginAdminEnabled=json.loads(text).get("plugins", {}).get("pluginAdminEnabled"),
        )

    @staticmethod
    def _request(properties: Properties) -> dict[str, Any]:
        request: dict[str, Any] = camel(only(properties, *_SAME))
        return request | {new: properties[old] for old, new in _RENAMED.items() if old in properties}

    @staticmethod
    def _configure(grafana: Any, workspace_id: str, old: Properties, new: Properties) -> None:
        names = ("GrafanaVersion", "PluginAdminEnabled")
        if only(old, *names) != only(new, *names):
            told = grafana.describe_workspace_configuration(workspaceId=workspace_id)["configuration"]
            grafana.update_workspace_configuration(
                workspaceId=workspace_id,
                configuration=_configuration(json.loads(told), new),
                **camel(only(new, "GrafanaVersion")),
            )

    @staticmethod
    def _authenticate(grafana: Any, workspace_id: str, properties: Properties) -> None:
        saml = properties.get("SamlConfiguration")
        grafana.update_workspace_authentication(
            workspaceId=workspace_id,
            authenticationProviders=properties["AuthenticationProviders"],
            **({"samlConfiguration": camel(saml)} if saml else {}),
        )

    @staticmethod
    def _attributes(grafana: Any, workspace_id: str) -> Properties:
        workspace: Mapping[str, Any] = grafana.describe_workspace(workspaceId=workspace_id)["workspace"]
        authentication = grafana.describe_workspace_authentication(workspaceId=workspace_id)["authentication"]
        return {
            "Id": workspace_id,
            "Endpoint": workspace["endpoint"],
            "GrafanaVersion": workspace["grafanaVersion"],
            "Status": workspace["status"],
            "SsoClientId": authentication.get("awsSso", {}).get("ssoClientId", ""),
            "SamlConfigurationStatus": workspace["authentication"].get("samlConfigurationStatus", ""),
            "CreationTimestamp": workspace["created"].isoformat(),
            "ModificationTimestamp": workspace["modified"].isoformat(),
        }


def _configuration(told: dict[str, Any], properties: Properties) -> str:
    """CloudFormation shows one switch of the workspace's own configuration; the rest stays as it is."""
    enabled = bool(properties.get("PluginAdminEnabled"))
    return json.dumps(told | {"plugins": {"pluginAdminEnabled": enabled}})


def _signs_in(properties: Properties) -> tuple[Any, Any]:
    return sorted(properties["AuthenticationProviders"]), properties.get("SamlConfiguration")


MODELS = (Workspace(),)
