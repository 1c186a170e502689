"""HyperPod clusters and their task governance, through the SageMaker API."""

# ruff: noqa: D102 - Model and ApiModel describe the methods

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.api import ApiModel
from scripts.cloud.resources.base import Context, Existing, Properties, known


class Cluster(ApiModel):
    """A HyperPod cluster."""

    type = "AWS::SageMaker::Cluster"
    service, noun = "sagemaker", "cluster"
    named = ("ClusterName", "ClusterName", 63)
    key = ("ClusterName",)
    ref = "{ClusterArn}"
    refreshed = True

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        if old is None:
            return new
        request = {key: value for key, value in new.items() if key != "VpcConfig"}
        before, after = ({g["InstanceGroupName"] for g in p.get("InstanceGroups", [])} for p in (old, new))
        if before - after:
            request["InstanceGroupsToDelete"] = sorted(before - after)
        if "Eks" in request.get("Orchestrator", {}):
            del request["Orchestrator"]
        return request

    def attributes(self, context: Context, existing: Existing, made: Properties) -> dict[str, Any]:
        return super().attributes(context, existing, {"FailureMessage": "", **made})

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        groups = {
            kind: sorted(map(_group, record.get(kind, [])), key=lambda group: str(group["InstanceGroupName"]))
            for kind in ("InstanceGroups", "RestrictedInstanceGroups")
        }
        return super().properties(context, existing, {**record, **groups})


_STATE = ("CurrentCount", "TargetCount", "MinCount", "Status", "CurrentImageId", "CurrentImageReleaseVersion")


def _group(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a group in the template's format; if its values are being changed, the requested ones."""
    group = {key: value for key, value in record.items() if key not in _STATE}
    kubernetes = group.pop("KubernetesConfig", {})
    requirements = group.pop("InstanceRequirements", {})
    return known(
        **{key.removeprefix("Desired"): value for key, value in group.items()},
        InstanceCount=record["TargetCount"],
        MinInstanceCount=record.get("MinCount"),
        KubernetesConfig=known(
            Labels=kubernetes.get("DesiredLabels"), Taints=kubernetes.get("DesiredTaints")
        ),
        InstanceRequirements=known(InstanceTypes=requirements.get("DesiredInstanceTypes")),
    )


class _Governance(ApiModel):
    """The base of scheduling policy and compute quota; every update names the current version."""

    service = "sagemaker"
    refreshed = True

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        return {
            name: value for name, value in new.items() if old is None or name not in ("Name", "ClusterArn")
        }

    def request(self, context: Context, method: str, existing: Existing) -> dict[str, Any]:
        request = super().request(context, method, existing)
        if method == self.updates.format(self.noun):
            record = self.described(context, existing) or {}
            request["TargetVersion"] = record.get(self.key[0].split(":")[0].removesuffix("Id") + "Version")
        return request

    def retag(self, context: Context, existing: Existing, properties: Properties) -> None:
        """Accept the tags, which the embedded cloud does not store."""


class ClusterSchedulerConfig(_Governance):
    """The scheduling policy of a cluster."""

    type = "AWS::SageMaker::ClusterSchedulerConfig"
    noun = "cluster_scheduler_config"
    key = ("ClusterSchedulerConfigId:ClusterSchedulerConfigId",)
    ref = "{ClusterSchedulerConfigArn}"


class ComputeQuota(_Governance):
    """The compute quota of one team."""

    type = "AWS::SageMaker::ComputeQuota"
    noun = "compute_quota"
    key = ("ComputeQuotaId:ComputeQuotaId",)
    ref = "{ComputeQuotaArn}"
