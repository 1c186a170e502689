"""Metric workspaces and log groups over moto's Prometheus and Logs; Grafana workspaces, which moto lacks."""

# ruff: noqa: D102 - create, update and delete are described by Model

from __future__ import annotations

import hashlib
import json
from typing import Any

from scripts.cloud.engine.stack import now

from .base import Context, Created, Existing, Model, Properties, only


class PrometheusWorkspace(Model):
    """A workspace of Amazon Managed Service for Prometheus."""

    type = "AWS::APS::Workspace"

    def create(self, context: Context, properties: Properties) -> Created:
        amp = context.client("amp")
        alias = {"alias": properties["Alias"]} if "Alias" in properties else {}
        made = amp.create_workspace(**alias, tags=context.tags(properties))
        workspace = amp.describe_workspace(workspaceId=made["workspaceId"])["workspace"]
        context.claim(workspace["arn"], WorkspaceId=workspace["workspaceId"])
        self._logging(amp, made["workspaceId"], {}, properties)
        attributes = {
            "Arn": workspace["arn"],
            "WorkspaceId": workspace["workspaceId"],
            "PrometheusEndpoint": workspace["prometheusEndpoint"],
        }
        return Created(workspace["arn"], attributes)

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        amp, workspace_id = context.client("amp"), existing.attributes["WorkspaceId"]
        alias = {"alias": properties["Alias"]} if "Alias" in properties else {}
        amp.update_workspace_alias(workspaceId=workspace_id, **alias)
        self._logging(amp, workspace_id, existing.properties, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("amp").delete_workspace(workspaceId=existing.attributes["WorkspaceId"])

    @staticmethod
    def _logging(amp: Any, workspace_id: str, old: Properties, new: Properties) -> None:
        before, after = (p.get("LoggingConfiguration", {}).get("LogGroupArn") for p in (old, new))
        if before and not after:
            amp.delete_logging_configuration(workspaceId=workspace_id)
        elif after and not before:
            amp.create_logging_configuration(workspaceId=workspace_id, logGroupArn=after)
        elif after != before:
            amp.update_logging_configuration(workspaceId=workspace_id, logGroupArn=after)


class GrafanaWorkspace(Model):
    """A workspace of Amazon Managed Grafana: it exists in the stack alone."""

    type = "AWS::Grafana::Workspace"

    def create(self, context: Context, properties: Properties) -> Created:
        seed = f"{context.stack_id}/{context.logical_id}/{context.generation}"
        workspace_id = f"g-{hashlib.sha256(seed.encode()).hexdigest()[:10]}"
        return Created(workspace_id, self._attributes(context, workspace_id, properties, now().isoformat()))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        created = existing.attributes["CreationTimestamp"]
        return self._attributes(context, existing.physical_id, properties, created)

    def delete(self, context: Context, existing: Existing) -> None:
        """Nothing to remove: no service remembers it."""

    @staticmethod
    def _attributes(context: Context, workspace_id: str, properties: Properties, created: str) -> Properties:
        return {
            "Id": workspace_id,
            "Endpoint": f"{workspace_id}.grafana-workspace.{context.region}.amazonaws.com",
            "GrafanaVersion": properties.get("GrafanaVersion", "10.4"),
            "Status": "ACTIVE",
            "SsoClientId": "",
            "SamlConfigurationStatus": "CONFIGURED"
            if "SamlConfiguration" in properties
            else "NOT_CONFIGURED",
            "CreationTimestamp": created,
            "ModificationTimestamp": now().isoformat(),
        }


class LogGroup(Model):
    """A log group with its retention and key."""

    type = "AWS::Logs::LogGroup"

    def create(self, context: Context, properties: Properties) -> Created:
        logs = context.client("logs")
        name = properties.get("LogGroupName") or context.generated_name(512)
        request = only(properties, "KmsKeyId", "LogGroupClass")
        logs.create_log_group(
            logGroupName=name,
            tags=context.tags(properties),
            **{key[0].lower() + key[1:]: value for key, value in request.items()},
        )
        context.claim(name)
        self._retention(logs, name, properties)
        return Created(
            name, {"Arn": f"arn:aws:logs:{context.region}:{context.account_id}:log-group:{name}:*"}
        )

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        logs, name = context.client("logs"), existing.physical_id
        self._retention(logs, name, properties)
        before, after = (p.get("KmsKeyId") for p in (existing.properties, properties))
        if after and after != before:
            logs.associate_kms_key(logGroupName=name, kmsKeyId=after)
        elif before and not after:
            logs.disassociate_kms_key(logGroupName=name)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("logs").delete_log_group(logGroupName=existing.physical_id)

    @staticmethod
    def _retention(logs: Any, name: str, properties: Properties) -> None:
        if "RetentionInDays" in properties:
            logs.put_retention_policy(logGroupName=name, retentionInDays=properties["RetentionInDays"])
        else:
            logs.delete_retention_policy(logGroupName=name)


class LogResourcePolicy(Model):
    """Who may write to log groups."""

    type = "AWS::Logs::ResourcePolicy"

    def create(self, context: Context, properties: Properties) -> Created:
        policy = properties["PolicyDocument"]
        text = policy if isinstance(policy, str) else json.dumps(policy)
        context.client("logs").put_resource_policy(policyName=properties["PolicyName"], policyDocument=text)
        return Created(properties["PolicyName"])

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        return self.create(context, properties).attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("logs").delete_resource_policy(policyName=existing.physical_id)


MODELS = (PrometheusWorkspace(), GrafanaWorkspace(), LogGroup(), LogResourcePolicy())
