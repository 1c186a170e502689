"""HyperPod clusters with their task governance, over SageMaker."""

# ruff: noqa: D102 - create, update, delete and read are described by Model

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from scripts.cloud.resources.base import (
    Context,
    Created,
    Existing,
    Model,
    Properties,
    found,
    known,
    only,
    tag_mapping,
)

# properties that UpdateCluster does not take: they replace the cluster or belong to CreateCluster alone
_AT_CREATION = ("ClusterName", "VpcConfig", "Tags")


class Cluster(Model):
    """A HyperPod cluster."""

    type = "AWS::SageMaker::Cluster"

    def create(self, context: Context, properties: Properties) -> Created:
        name = properties.get("ClusterName") or context.generated_name(63)
        request = dict(properties) | {"ClusterName": name} | context.tagged(properties)
        sagemaker = context.client("sagemaker")
        arn = sagemaker.create_cluster(**request)["ClusterArn"]
        return Created(arn, self._attributes(sagemaker, arn))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        sagemaker = context.client("sagemaker")
        request = {key: value for key, value in properties.items() if key not in _AT_CREATION}
        before = {group["InstanceGroupName"] for group in existing.properties.get("InstanceGroups", [])}
        after = {group["InstanceGroupName"] for group in properties.get("InstanceGroups", [])}
        if before - after:
            request["InstanceGroupsToDelete"] = sorted(before - after)
        if "Orchestrator" in request and "Eks" in request["Orchestrator"]:
            del request["Orchestrator"]
        sagemaker.update_cluster(ClusterName=existing.physical_id, **request)
        tags, wanted = tag_mapping(existing.properties), context.tags(properties)
        if set(tags) - set(wanted):
            gone = sorted(set(tags) - set(wanted))
            sagemaker.delete_tags(ResourceArn=existing.physical_id, TagKeys=gone)
        if wanted and wanted != tags:
            sagemaker.add_tags(ResourceArn=existing.physical_id, Tags=context.tag_list(properties))
        return self._attributes(sagemaker, existing.physical_id)

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("sagemaker").delete_cluster(ClusterName=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        told = found(context.client("sagemaker").describe_cluster, ClusterName=existing.physical_id)
        if told is None:
            return None
        names = (
            "AutoScaling",
            "ClusterRole",
            "NodeProvisioningMode",
            "NodeRecovery",
            "Orchestrator",
            "RestrictedInstanceGroupsConfig",
            "TieredStorageConfig",
            "VpcConfig",
        )
        groups = {
            kind: sorted(
                (_group(group) for group in told.get(kind, [])), key=lambda g: g["InstanceGroupName"]
            )
            for kind in ("InstanceGroups", "RestrictedInstanceGroups")
        }
        return known(**only(told, *names), **groups)

    @staticmethod
    def _attributes(sagemaker: Any, arn: str) -> Properties:
        cluster = sagemaker.describe_cluster(ClusterName=arn)
        return {
            "ClusterArn": arn,
            "ClusterStatus": cluster["ClusterStatus"],
            "CreationTime": cluster["CreationTime"].isoformat(),
            "FailureMessage": "",
        }


_STATE = ("CurrentCount", "TargetCount", "MinCount", "Status", "CurrentImageId", "CurrentImageReleaseVersion")


def _group(told: Mapping[str, Any]) -> dict[str, Any]:
    """A group as a template writes it: what is wished for, not what is there now."""
    group = {key: value for key, value in told.items() if key not in _STATE}
    kubernetes = group.pop("KubernetesConfig", {})
    requirements = group.pop("InstanceRequirements", {})
    return known(
        **{key.removeprefix("Desired"): value for key, value in group.items()},
        InstanceCount=told["TargetCount"],
        MinInstanceCount=told.get("MinCount"),
        KubernetesConfig=known(
            Labels=kubernetes.get("DesiredLabels"), Taints=kubernetes.get("DesiredTaints")
        ),
        InstanceRequirements=known(InstanceTypes=requirements.get("DesiredInstanceTypes")),
    )


class _Governance(Model):
    """What the two kinds of governance share: an id, and a version that every change names."""

    name: ClassVar[str]
    operation: ClassVar[str]
    changeable: ClassVar[tuple[str, ...]]
    fixed: ClassVar[tuple[str, ...]] = ("Name", "ClusterArn")

    def create(self, context: Context, properties: Properties) -> Created:
        sagemaker = context.client("sagemaker")
        request = only(properties, *self.fixed, *self.changeable) | context.tagged(properties)
        made = getattr(sagemaker, f"create_{self.operation}")(**request)
        attributes = self._attributes(self._told(context, made[f"{self.name}Id"]) or {})
        return Created(made[f"{self.name}Arn"], attributes)

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        sagemaker, record_id = context.client("sagemaker"), existing.attributes[f"{self.name}Id"]
        version = (self._told(context, record_id) or {}).get(f"{self.name}Version")
        request = {f"{self.name}Id": record_id, "TargetVersion": version}
        getattr(sagemaker, f"update_{self.operation}")(**request, **only(properties, *self.changeable))
        return self._attributes(self._told(context, record_id) or {})

    def delete(self, context: Context, existing: Existing) -> None:
        delete = getattr(context.client("sagemaker"), f"delete_{self.operation}")
        delete(**only(existing.attributes, f"{self.name}Id"))

    def read(self, context: Context, existing: Existing) -> Properties | None:
        told = self._told(context, existing.attributes[f"{self.name}Id"])
        return None if told is None else known(**only(told, *self.changeable))

    def _told(self, context: Context, record_id: str) -> Mapping[str, Any] | None:
        describe = getattr(context.client("sagemaker"), f"describe_{self.operation}")
        return found(describe, **{f"{self.name}Id": record_id})

    def _attributes(self, told: Mapping[str, Any]) -> Properties:
        names = (f"{self.name}Id", f"{self.name}Arn", f"{self.name}Version", "Status")
        return only(told, *names) | {"CreationTime": told["CreationTime"].isoformat()}


class ClusterSchedulerConfig(_Governance):
    """How a cluster orders the tasks of its teams."""

    type = "AWS::SageMaker::ClusterSchedulerConfig"
    name = "ClusterSchedulerConfig"
    operation = "cluster_scheduler_config"
    changeable = ("SchedulerConfig", "Description")


class ComputeQuota(_Governance):
    """The compute of a cluster that one team may use."""

    type = "AWS::SageMaker::ComputeQuota"
    name = "ComputeQuota"
    operation = "compute_quota"
    changeable = ("ComputeQuotaConfig", "ComputeQuotaTarget", "ActivationState", "Description")

    def _attributes(self, told: Mapping[str, Any]) -> Properties:
        return {**super()._attributes(told), "LastModifiedTime": told["LastModifiedTime"].isoformat()}


MODELS = (Cluster(), ClusterSchedulerConfig(), ComputeQuota())
