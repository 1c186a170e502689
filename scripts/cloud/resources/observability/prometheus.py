"""Amazon Managed Service for Prometheus workspaces, their settings and rules."""

# ruff: noqa: D102 - Model and ApiModel describe the methods

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from scripts.cloud.resources.api import ApiModel, call
from scripts.cloud.resources.base import Context, Existing, Properties, found, known, only
from scripts.cloud.resources.casing import camel, pascal


class Workspace(ApiModel):
    """A workspace with its alert manager, logging and limits."""

    type = "AWS::APS::Workspace"
    service, noun = "amp", "workspace"
    updates = "update_workspace_alias"
    key = ("workspaceId:WorkspaceId",)
    ref = "{Arn}"
    refreshed = True

    def settle(self, context: Context, client: Any, existing: Existing, properties: Properties) -> None:
        workspace, old = {"workspaceId": existing.attributes["WorkspaceId"]}, existing.properties
        for name, wanted in (
            ("alert_manager_definition", _definition),
            ("logging_configuration", lambda p: camel(p.get("LoggingConfiguration") or {})),
            ("query_logging_configuration", lambda p: camel(p.get("QueryLoggingConfiguration") or {})),
        ):
            _set(client, workspace, name, wanted(old), wanted(properties))
        before, after = (p.get("WorkspaceConfiguration") or {} for p in (old, properties))
        if before != after:
            limits = {**after, "LimitsPerLabelSet": after.get("LimitsPerLabelSets", [])}
            call(client, "update_workspace_configuration", limits, **workspace)

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        amp, workspace = context.client("amp"), {"workspaceId": existing.attributes["WorkspaceId"]}
        definition = found(amp.describe_alert_manager_definition, **workspace) or {}
        logging = found(amp.describe_logging_configuration, **workspace) or {}
        queries = found(amp.describe_query_logging_configuration, **workspace) or {}
        limits = amp.describe_workspace_configuration(**workspace)["workspaceConfiguration"]
        limits["limitsPerLabelSets"] = limits.pop("limitsPerLabelSet", None)
        more = {
            "AlertManagerDefinition": definition.get("alertManagerDefinition", {}).get("data", b"").decode(),
            "LoggingConfiguration": pascal(only(logging.get("loggingConfiguration", {}), "logGroupArn")),
            "QueryLoggingConfiguration": pascal(
                only(queries.get("queryLoggingConfiguration", {}), "destinations")
            ),
            "WorkspaceConfiguration": known(**pascal(limits | {"status": None})),
        }
        return super().properties(context, existing, {**record, **more})


def _definition(properties: Properties) -> dict[str, Any]:
    text = properties.get("AlertManagerDefinition")
    return {"data": text.encode()} if text else {}


def _set(
    amp: Any, workspace: dict[str, str], name: str, before: dict[str, Any], after: dict[str, Any]
) -> None:
    """Create, change or delete one setting of a workspace."""
    change = f"put_{name}" if hasattr(amp, f"put_{name}") else f"update_{name}"
    if before and not after:
        getattr(amp, f"delete_{name}")(**workspace)
    elif after != before:
        getattr(amp, change if before else f"create_{name}")(**workspace, **after)


class InWorkspace(ApiModel):
    """A resource of a workspace; the resource's ARN contains the workspace's id and the resource's id."""

    service = "amp"
    updates = "put_{}"
    ref = "{Arn}"
    workspace: ClassVar[str] = "Workspace"
    """The name of the property that contains the workspace's ARN."""

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        return {**new, "WorkspaceId": new[self.workspace].split("/")[-1]}

    def request(self, context: Context, method: str, existing: Existing) -> dict[str, Any]:
        if not existing.physical_id:
            return {}
        ids = existing.physical_id.split("/")[1:]
        return dict(zip(self.key, ids, strict=True))


class RuleGroupsNamespace(InWorkspace):
    """A file of recording and alerting rules."""

    type = "AWS::APS::RuleGroupsNamespace"
    noun = "rule_groups_namespace"
    key = ("workspaceId", "name")


class ResourcePolicy(InWorkspace):
    """The resource policy of a workspace."""

    type = "AWS::APS::ResourcePolicy"
    noun = "resource_policy"
    creates = "put_{}"
    key = ("workspaceId",)
    ref = "{WorkspaceArn}"
    workspace = "WorkspaceArn"
