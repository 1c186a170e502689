"""AWS PCS clusters, compute node groups and queues."""

# ruff: noqa: D102 - Model and ApiModel describe the methods

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.api import ApiModel
from scripts.cloud.resources.base import Context, Existing, Properties


class _Pcs(ApiModel):
    service = "pcs"
    reads = "get_{}"
    ref = "{Arn}"

    def attributes(self, context: Context, existing: Existing, made: Properties) -> dict[str, Any]:
        return super().attributes(context, existing, {"ErrorInfo": [], **made})


class Cluster(_Pcs):
    """A PCS cluster, whose Slurm controller PCS runs."""

    type = "AWS::PCS::Cluster"
    noun = "cluster"
    named = ("Name", "clusterName", 40)
    key = ("clusterIdentifier:Id",)
    refreshed = True

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        if old is None:
            return new
        changed = {"Scheduler": {"Version": new["Scheduler"]["Version"]}}
        settings = {"SlurmConfiguration": new.get("SlurmConfiguration", {})}
        return settings | (changed if new["Scheduler"] != old["Scheduler"] else {})


class ComputeNodeGroup(_Pcs):
    """A compute node group, for the queues of a cluster or for logins."""

    type = "AWS::PCS::ComputeNodeGroup"
    noun = "compute_node_group"
    named = ("Name", "computeNodeGroupName", 25)
    key = ("clusterIdentifier:ClusterId", "computeNodeGroupIdentifier:Id")

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        template = new.get("CustomLaunchTemplate")
        identified = template and {"id": template["TemplateId"], "version": template.get("Version")}
        return {**new, **({"CustomLaunchTemplate": identified} if template else {})}

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        template = record.get("CustomLaunchTemplate") or {}
        renamed = {"TemplateId": template.get("Id"), "Version": template.get("Version")}
        return super().properties(context, existing, record) | {"CustomLaunchTemplate": template and renamed}


class Queue(_Pcs):
    """A queue, which is a Slurm partition."""

    type = "AWS::PCS::Queue"
    noun = "queue"
    named = ("Name", "queueName", 25)
    key = ("clusterIdentifier:ClusterId", "queueIdentifier:Id")
    emptied = ("ComputeNodeGroupConfigurations",)
