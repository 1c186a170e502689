"""Amazon Managed Service for Prometheus: workspaces with what is set on them, and their rules."""

# ruff: noqa: D102 - create, update, delete and read are described by Model

from __future__ import annotations

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


class Workspace(Model):
    """A workspace with its alert manager, its logs and its limits."""

    type = "AWS::APS::Workspace"

    def create(self, context: Context, properties: Properties) -> Created:
        amp = context.client("amp")
        request = camel(only(properties, "Alias", "KmsKeyArn"))
        made = amp.create_workspace(**request, tags=context.tags(properties))
        workspace = amp.describe_workspace(workspaceId=made["workspaceId"])["workspace"]
        context.claim(workspace["arn"], WorkspaceId=workspace["workspaceId"])
        self._settings(amp, made["workspaceId"], {}, properties)
        attributes = {
            "Arn": workspace["arn"],
            "WorkspaceId": workspace["workspaceId"],
            "PrometheusEndpoint": workspace["prometheusEndpoint"],
        }
        return Created(workspace["arn"], attributes)

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        amp, workspace_id = context.client("amp"), existing.attributes["WorkspaceId"]
        amp.update_workspace_alias(workspaceId=workspace_id, **camel(only(properties, "Alias")))
        self._settings(amp, workspace_id, existing.properties, properties)
        retag(context, amp, existing.physical_id, existing.properties, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("amp").delete_workspace(workspaceId=existing.attributes["WorkspaceId"])

    def read(self, context: Context, existing: Existing) -> Properties | None:
        amp, workspace = context.client("amp"), {"workspaceId": existing.attributes["WorkspaceId"]}
        answer = found(amp.describe_workspace, **workspace)
        if answer is None:
            return None
        definition = found(amp.describe_alert_manager_definition, **workspace) or {}
        logging = found(amp.describe_logging_configuration, **workspace) or {}
        queries = found(amp.describe_query_logging_configuration, **workspace) or {}
        limits = amp.describe_workspace_configuration(**workspace)["workspaceConfiguration"]
        limits["limitsPerLabelSets"] = limits.pop("limitsPerLabelSet", None)
        log_group = only(logging.get("loggingConfiguration", {}), "logGroupArn")
        destinations = only(queries.get("queryLoggingConfiguration", {}), "destinations")
        text = definition.get("alertManagerDefinition", {}).get("data", b"")
        return known(
            **pascal(only(answer["workspace"], "alias", "kmsKeyArn")),
            AlertManagerDefinition=text.decode(),
            LoggingConfiguration=pascal(log_group),
            QueryLoggingConfiguration=pascal(destinations),
            WorkspaceConfiguration=known(**pascal(limits | {"status": None})),
        )

    def _settings(self, amp: Any, workspace_id: str, old: Properties, new: Properties) -> None:
        for name, wanted in (
            ("alert_manager_definition", _definition),
            ("logging_configuration", _log_group),
            ("query_logging_configuration", _query_logging),
        ):
            _set(amp, workspace_id, name, wanted(old), wanted(new))
        before, after = (p.get("WorkspaceConfiguration") or {} for p in (old, new))
        if before != after:
            request = camel(after)
            request["limitsPerLabelSet"] = request.pop("limitsPerLabelSets", [])
            amp.update_workspace_configuration(workspaceId=workspace_id, **request)


def _definition(properties: Properties) -> dict[str, Any]:
    text = properties.get("AlertManagerDefinition")
    return {"data": text.encode()} if text else {}


def _log_group(properties: Properties) -> dict[str, Any]:
    request: dict[str, Any] = camel(properties.get("LoggingConfiguration") or {})
    return request


def _query_logging(properties: Properties) -> dict[str, Any]:
    request: dict[str, Any] = camel(properties.get("QueryLoggingConfiguration") or {})
    return request


def _set(amp: Any, workspace_id: str, name: str, before: dict[str, Any], after: dict[str, Any]) -> None:
    """Create, change or delete one setting of a workspace."""
    change = f"put_{name}" if hasattr(amp, f"put_{name}") else f"update_{name}"
    if before and not after:
        getattr(amp, f"delete_{name}")(workspaceId=workspace_id)
    elif after and not before:
        getattr(amp, f"create_{name}")(workspaceId=workspace_id, **after)
    elif after != before:
        getattr(amp, change)(workspaceId=workspace_id, **after)


class RuleGroupsNamespace(Model):
    """A file of recording and alerting rules."""

    type = "AWS::APS::RuleGroupsNamespace"

    def create(self, context: Context, properties: Properties) -> Created:
        made = context.client("amp").create_rule_groups_namespace(
            workspaceId=properties["Workspace"].split("/")[-1],
            name=properties["Name"],
            data=properties["Data"].encode(),
            tags=context.tags(properties),
        )
        return Created(made["arn"], {"Arn": made["arn"]})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        amp, data = context.client("amp"), properties["Data"].encode()
        amp.put_rule_groups_namespace(**self._names(existing), data=data)
        retag(context, amp, existing.physical_id, existing.properties, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("amp").delete_rule_groups_namespace(**self._names(existing))

    def read(self, context: Context, existing: Existing) -> Properties | None:
        answer = found(context.client("amp").describe_rule_groups_namespace, **self._names(existing))
        return None if answer is None else {"Data": answer["ruleGroupsNamespace"]["data"].decode()}

    @staticmethod
    def _names(existing: Existing) -> dict[str, str]:
        workspace_id, name = existing.physical_id.split("/")[-2:]
        return {"workspaceId": workspace_id, "name": name}


class ResourcePolicy(Model):
    """Who else may use a workspace."""

    type = "AWS::APS::ResourcePolicy"

    def create(self, context: Context, properties: Properties) -> Created:
        self._put(context, properties)
        return Created(properties["WorkspaceArn"])

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        self._put(context, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("amp").delete_resource_policy(workspaceId=existing.physical_id.split("/")[-1])

    def read(self, context: Context, existing: Existing) -> Properties | None:
        workspace_id = existing.physical_id.split("/")[-1]
        answer = found(context.client("amp").describe_resource_policy, workspaceId=workspace_id)
        return None if answer is None else {"PolicyDocument": answer["policyDocument"]}

    @staticmethod
    def _put(context: Context, properties: Properties) -> None:
        workspace_id, document = properties["WorkspaceArn"].split("/")[-1], properties["PolicyDocument"]
        context.client("amp").put_resource_policy(workspaceId=workspace_id, policyDocument=document)


MODELS = (Workspace(), RuleGroupsNamespace(), ResourcePolicy())
