"""Amazon Managed Service for Prometheus in place of moto's: workspaces and what is set on each of them."""

from __future__ import annotations

from typing import Any

from moto.core.responses import ActionResult, EmptyResult

from scripts.cloud.extensions import existence
from scripts.cloud.extensions.records import Record, RefusedError, now

from .prometheus_records import PrometheusRecords
from .prometheus_scrapers import ScraperOperations

_ACTIVE = {"statusCode": "ACTIVE"}
# https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-workspace-configuration.html
_RETENTION_DAYS = 150
_LIMITS = ("retentionPeriodInDays", "outOfOrderTimeWindowInSeconds", "ruleQueryOffsetInSeconds")
_SETTINGS = ("definitions", "logging", "query_logging", "policies", "configurations")


class WorkspaceOperations(PrometheusRecords):
    """Workspaces."""

    def create_workspace(self) -> ActionResult:
        """CreateWorkspace."""
        request = self._get_params()
        self.require_key(request.get("kmsKeyArn"))
        workspace_id = self.uuid("ws", "workspace")
        workspace: Record = {
            **{key: request[key] for key in ("alias", "kmsKeyArn") if key in request},
            "workspaceId": workspace_id,
            "arn": self.arn(f"workspace/{workspace_id}"),
            "status": _ACTIVE,
            "createdAt": now(),
            "prometheusEndpoint": f"https://aps-workspaces.{self.region}.amazonaws.com/workspaces/{workspace_id}/",
        }
        self.table("workspaces")[workspace_id] = workspace
        self.keep_tags(workspace["arn"], request.get("tags"))
        return ActionResult(workspace | {"tags": request.get("tags") or {}})

    def describe_workspace(self) -> ActionResult:
        """DescribeWorkspace."""
        workspace = self.workspace()
        return ActionResult({"workspace": workspace | {"tags": self.table("tags")[workspace["arn"]]}})

    def list_workspaces(self) -> ActionResult:
        """ListWorkspaces: all, or those whose alias begins so."""
        wanted = self._get_param("alias") or ""
        found = [w for w in self.table("workspaces").values() if str(w.get("alias", "")).startswith(wanted)]
        tags = self.table("tags")
        return ActionResult({"workspaces": [w | {"tags": tags[w["arn"]]} for w in found]})

    def update_workspace_alias(self) -> EmptyResult:
        """UpdateWorkspaceAlias."""
        workspace, alias = self.workspace(), self._get_param("alias")
        workspace.pop("alias", None)
        if alias:
            workspace["alias"] = alias
        return EmptyResult()

    def delete_workspace(self) -> EmptyResult:
        """DeleteWorkspace: with its rules, its alert manager and its settings."""
        workspace = self.workspace()
        for kind in _SETTINGS:
            self.table(kind).pop(workspace["workspaceId"], None)
        for kind in ("rules", "detectors"):
            for arn, record in list(self.table(kind).items()):
                if record["workspaceId"] == workspace["workspaceId"]:
                    del self.table(kind)[arn]
        del self.table("workspaces")[workspace["workspaceId"]]
        self.forget_tags(workspace["arn"])
        return EmptyResult()

    def describe_workspace_configuration(self) -> ActionResult:
        """DescribeWorkspaceConfiguration."""
        told = self.table("configurations").get(self.workspace()["workspaceId"], {})
        standard = {"retentionPeriodInDays": _RETENTION_DAYS, "status": _ACTIVE}
        return ActionResult({"workspaceConfiguration": standard | told})

    def update_workspace_configuration(self) -> ActionResult:
        """UpdateWorkspaceConfiguration: what is not named stays."""
        request, workspace_id = self._get_params(), self.workspace()["workspaceId"]
        wanted = {key: request[key] for key in (*_LIMITS, "limitsPerLabelSet") if key in request}
        configuration = self.table("configurations").setdefault(workspace_id, {})
        configuration.update(wanted)
        return ActionResult({"status": _ACTIVE})


class SettingOperations(PrometheusRecords):
    """One of each for a workspace: an alert manager, where it logs, who may use it."""

    def create_alert_manager_definition(self) -> ActionResult:
        """CreateAlertManagerDefinition."""
        return self._create("definitions", data=self._get_param("data"))

    def put_alert_manager_definition(self) -> ActionResult:
        """PutAlertManagerDefinition."""
        return self._change("definitions", data=self._get_param("data"))

    def describe_alert_manager_definition(self) -> ActionResult:
        """DescribeAlertManagerDefinition."""
        return ActionResult({"alertManagerDefinition": self._setting("definitions")})

    def delete_alert_manager_definition(self) -> EmptyResult:
        """DeleteAlertManagerDefinition."""
        return self._remove("definitions")

    def create_logging_configuration(self) -> ActionResult:
        """CreateLoggingConfiguration."""
        return self._create("logging", logGroupArn=self._log_group(self._get_param("logGroupArn")))

    def update_logging_configuration(self) -> ActionResult:
        """UpdateLoggingConfiguration."""
        return self._change("logging", logGroupArn=self._log_group(self._get_param("logGroupArn")))

    def describe_logging_configuration(self) -> ActionResult:
        """DescribeLoggingConfiguration."""
        return ActionResult({"loggingConfiguration": self._setting("logging")})

    def delete_logging_configuration(self) -> EmptyResult:
        """DeleteLoggingConfiguration."""
        return self._remove("logging")

    def create_query_logging_configuration(self) -> ActionResult:
        """CreateQueryLoggingConfiguration."""
        return self._create("query_logging", destinations=self._destinations())

    def update_query_logging_configuration(self) -> ActionResult:
        """UpdateQueryLoggingConfiguration."""
        return self._change("query_logging", destinations=self._destinations())

    def describe_query_logging_configuration(self) -> ActionResult:
        """DescribeQueryLoggingConfiguration."""
        return ActionResult({"queryLoggingConfiguration": self._setting("query_logging")})

    def delete_query_logging_configuration(self) -> EmptyResult:
        """DeleteQueryLoggingConfiguration."""
        return self._remove("query_logging")

    def put_resource_policy(self) -> ActionResult:
        """PutResourcePolicy."""
        revision = self.next_id("revision", 32)
        policy = {"policyDocument": self._get_param("policyDocument"), "revisionId": revision}
        self.table("policies")[self.workspace()["workspaceId"]] = policy | {"policyStatus": "ACTIVE"}
        return ActionResult({"policyStatus": "ACTIVE", "revisionId": revision})

    def describe_resource_policy(self) -> ActionResult:
        """DescribeResourcePolicy."""
        return ActionResult(self._setting("policies"))

    def delete_resource_policy(self) -> EmptyResult:
        """DeleteResourcePolicy."""
        return self._remove("policies")

    def _create(self, kind: str, **settings: Any) -> ActionResult:
        workspace_id = self.workspace()["workspaceId"]
        if workspace_id in self.table(kind):
            told = f"{kind.replace('_', ' ')} of workspace {workspace_id} exist already"
            raise RefusedError("ConflictException", told)
        times = {"createdAt": now(), "modifiedAt": now()}
        self.table(kind)[workspace_id] = {**settings, **times, "status": _ACTIVE, "workspace": workspace_id}
        return ActionResult({"status": _ACTIVE})

    def _change(self, kind: str, **settings: Any) -> ActionResult:
        self._setting(kind).update(settings, modifiedAt=now())
        return ActionResult({"status": _ACTIVE})

    def _setting(self, kind: str) -> Record:
        workspace_id = self.workspace()["workspaceId"]
        if workspace_id not in self.table(kind):
            raise self.missing(f"{kind.replace('_', ' ')} of workspace {workspace_id}")
        return self.table(kind)[workspace_id]

    def _remove(self, kind: str) -> EmptyResult:
        self._setting(kind)
        del self.table(kind)[self.workspace()["workspaceId"]]
        return EmptyResult()

    def _destinations(self) -> Any:
        destinations = self._get_param("destinations")
        for destination in destinations:
            self._log_group(destination["cloudWatchLogs"]["logGroupArn"])
        return destinations

    def _log_group(self, arn: str) -> str:
        if not existence.log_group_exists(self.current_account, self.region, arn):
            raise RefusedError(self.invalid, f"the log group {arn} does not exist")
        return arn


class PrometheusService(WorkspaceOperations, SettingOperations, ScraperOperations):
    """The whole service."""
