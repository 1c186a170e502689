"""Emulated Amazon Managed Service for Prometheus, instead of moto's: workspaces and their settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from moto.core.responses import ActionResult, EmptyResult

from scripts.cloud.extensions import existence
from scripts.cloud.extensions.patch import add
from scripts.cloud.extensions.records import Record, RefusedError, now

from .prometheus_records import PrometheusRecords
from .prometheus_scrapers import ScraperOperations

_ACTIVE = {"statusCode": "ACTIVE"}
# https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-workspace-configuration.html
_RETENTION_DAYS = 150
_LIMITS = ("retentionPeriodInDays", "outOfOrderTimeWindowInSeconds", "ruleQueryOffsetInSeconds")
_SETTINGS = ("definitions", "logging", "query_logging", "policies", "configurations")


class WorkspaceOperations(PrometheusRecords):
    """Operations on workspaces."""

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
        """ListWorkspaces, with an optional prefix of the alias."""
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
        """DeleteWorkspace, with its rules, alert manager and settings."""
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
        configured = self.table("configurations").get(self.workspace()["workspaceId"], {})
        standard = {"retentionPeriodInDays": _RETENTION_DAYS, "status": _ACTIVE}
        return ActionResult({"workspaceConfiguration": standard | configured})

    def update_workspace_configuration(self) -> ActionResult:
        """UpdateWorkspaceConfiguration, which keeps other settings."""
        request, workspace_id = self._get_params(), self.workspace()["workspaceId"]
        wanted = {key: request[key] for key in (*_LIMITS, "limitsPerLabelSet") if key in request}
        configuration = self.table("configurations").setdefault(workspace_id, {})
        configuration.update(wanted)
        return ActionResult({"status": _ACTIVE})


class SettingOperations(PrometheusRecords):
    """Operations on settings that a workspace has once: alert manager, logging and policy."""

    def put_resource_policy(self) -> ActionResult:
        """PutResourcePolicy."""
        revision = self.next_id("revision", 32)
        policy = {"policyDocument": self._get_param("policyDocument"), "revisionId": revision}
        self.table("policies")[self.workspace()["workspaceId"]] = policy | {"policyStatus": "ACTIVE"}
        return ActionResult({"policyStatus": "ACTIVE", "revisionId": revision})

    def describe_resource_policy(self) -> ActionResult:
        """DescribeResourcePolicy."""
        return ActionResult(self.setting("policies"))

    def delete_resource_policy(self) -> EmptyResult:
        """DeleteResourcePolicy."""
        return self.remove_setting("policies")

    def create_setting(self, kind: str, **settings: Any) -> ActionResult:
        """Create the setting of this type."""
        workspace_id = self.workspace()["workspaceId"]
        if workspace_id in self.table(kind):
            message = f"{kind.replace('_', ' ')} of workspace {workspace_id} already exists"
            raise RefusedError("ConflictException", message)
        times = {"createdAt": now(), "modifiedAt": now()}
        self.table(kind)[workspace_id] = {**settings, **times, "status": _ACTIVE, "workspace": workspace_id}
        return ActionResult({"status": _ACTIVE})

    def change_setting(self, kind: str, **settings: Any) -> ActionResult:
        """Change the setting of this type."""
        self.setting(kind).update(settings, modifiedAt=now())
        return ActionResult({"status": _ACTIVE})

    def setting(self, kind: str) -> Record:
        """Return the setting of this type."""
        workspace_id = self.workspace()["workspaceId"]
        return self.found(kind, workspace_id, f"{kind.replace('_', ' ')} of workspace {workspace_id}")

    def remove_setting(self, kind: str) -> EmptyResult:
        """Delete the setting of this type."""
        self.setting(kind)
        del self.table(kind)[self.workspace()["workspaceId"]]
        return EmptyResult()

    def destinations(self) -> Any:
        """Return the destinations of query logs."""
        destinations = self._get_param("destinations")
        for destination in destinations:
            self.log_group(destination["cloudWatchLogs"]["logGroupArn"])
        return destinations

    def log_group(self, arn: str) -> str:
        """Check that a log group exists."""
        if not existence.log_group_exists(self.current_account, self.region, arn):
            raise RefusedError(self.invalid, f"the log group {arn} does not exist")
        return arn


def _operations(
    name: str, change: str, kind: str, settings: Callable[[SettingOperations], Record]
) -> dict[str, Callable[[SettingOperations], Any]]:
    """Return the operations for one type of settings; moto finds them by their names in snake case."""
    first, *others = name.split("_")
    key = first + "".join(word.title() for word in others)
    return {
        f"create_{name}": lambda self: self.create_setting(kind, **settings(self)),
        f"{change}_{name}": lambda self: self.change_setting(kind, **settings(self)),
        f"describe_{name}": lambda self: ActionResult({key: self.setting(kind)}),
        f"delete_{name}": lambda self: self.remove_setting(kind),
    }


_KINDS: tuple[tuple[str, str, str, Callable[[SettingOperations], Record]], ...] = (
    ("alert_manager_definition", "put", "definitions", lambda self: {"data": self._get_param("data")}),
    (
        "logging_configuration",
        "update",
        "logging",
        lambda self: {"logGroupArn": self.log_group(self._get_param("logGroupArn"))},
    ),
    (
        "query_logging_configuration",
        "update",
        "query_logging",
        lambda self: {"destinations": self.destinations()},
    ),
)
for _row in _KINDS:
    add(SettingOperations, **_operations(*_row))


class PrometheusService(WorkspaceOperations, SettingOperations, ScraperOperations):
    """The complete service."""
