"""Amazon Managed Grafana workspaces."""

# ruff: noqa: D102 - Model describes create, update, delete and read

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.api import ApiModel, retag
from scripts.cloud.resources.base import Context, Existing, Properties, only
from scripts.cloud.resources.casing import camel, pascal

# request parameters of properties whose names differ
_RENAMED = {
    "DataSources": "workspaceDataSources",
    "Description": "workspaceDescription",
    "Name": "workspaceName",
    "NotificationDestinations": "workspaceNotificationDestinations",
    "OrganizationalUnits": "workspaceOrganizationalUnits",
    "RoleArn": "workspaceRoleArn",
}


class Workspace(ApiModel):
    """A Grafana workspace."""

    type = "AWS::Grafana::Workspace"
    service, noun = "grafana", "workspace"
    key = ("workspaceId",)
    ref = "{Id}"
    refreshed = True

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        removals = (
            ("VpcConfiguration", "removeVpcConfiguration"),
            ("NetworkAccessControl", "removeNetworkAccessConfiguration"),
        )
        return {
            **{_RENAMED.get(name, name): value for name, value in new.items()},
            **{parameter: True for name, parameter in removals if name in (old or {}) and name not in new},
            "Configuration": _configuration({}, new),
        }

    def settle(self, context: Context, client: Any, existing: Existing, properties: Properties) -> None:
        old = existing.properties
        if (_signs_in(properties) != _signs_in(old)) if old else "SamlConfiguration" in properties:
            self._authenticate(client, existing.physical_id, properties)
        if old:
            self._configure(client, existing.physical_id, old, properties)

    def retag(self, context: Context, existing: Existing, properties: Properties) -> None:
        arn = context.arn("grafana", f"/workspaces/{existing.physical_id}")
        retag(context, "grafana", arn, existing.properties, properties)

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        grafana, workspace = context.client("grafana"), {"workspaceId": existing.physical_id}
        text = grafana.describe_workspace_configuration(**workspace)["configuration"]
        authentication = grafana.describe_workspace_authentication(**workspace)["authentication"]
        more = {
            "RoleArn": record.get("WorkspaceRoleArn"),
            "AuthenticationProviders": sorted(authentication["providers"]),
            "SamlConfiguration": pascal(authentication.get("saml", {}).get("configuration")),
            "PluginAdminEnabled": json.loads(text).get("plugins", {}).get("pluginAdminEnabled"),
        }
        return super().properties(context, existing, {**record, **more})

    @staticmethod
    def _configure(grafana: Any, workspace_id: str, old: Properties, new: Properties) -> None:
        names = ("GrafanaVersion", "PluginAdminEnabled")
        if only(old, *names) != only(new, *names):
            record = grafana.describe_workspace_configuration(workspaceId=workspace_id)["configuration"]
            grafana.update_workspace_configuration(
                workspaceId=workspace_id,
                configuration=_configuration(json.loads(record), new),
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

    def attributes(self, context: Context, existing: Existing, made: Properties) -> dict[str, Any]:
        workspace_id = existing.physical_id
        ask = context.client("grafana").describe_workspace_authentication
        authentication = ask(workspaceId=workspace_id)["authentication"]
        return {
            **super().attributes(context, existing, made),
            "SsoClientId": authentication.get("awsSso", {}).get("ssoClientId", ""),
            "SamlConfigurationStatus": made["Authentication"].get("SamlConfigurationStatus", ""),
            "CreationTimestamp": made["Created"].isoformat(),
            "ModificationTimestamp": made["Modified"].isoformat(),
        }


def _configuration(record: dict[str, Any], properties: Properties) -> str:
    """Return the configuration with the key that CloudFormation sets; the other keys are unchanged."""
    enabled = bool(properties.get("PluginAdminEnabled"))
    return json.dumps(record | {"plugins": {"pluginAdminEnabled": enabled}})


def _signs_in(properties: Properties) -> tuple[Any, Any]:
    return sorted(properties["AuthenticationProviders"]), properties.get("SamlConfiguration")
