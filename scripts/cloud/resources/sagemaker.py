"""HyperPod clusters, over moto's SageMaker (see extensions)."""

# ruff: noqa: D102 - create, update and delete are described by Model

from __future__ import annotations

from typing import Any

from .base import Context, Created, Existing, Model, Properties

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
        return self._attributes(sagemaker, existing.physical_id)

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("sagemaker").delete_cluster(ClusterName=existing.physical_id)

    @staticmethod
    def _attributes(sagemaker: Any, arn: str) -> Properties:
        cluster = sagemaker.describe_cluster(ClusterName=arn)
        return {
            "ClusterArn": arn,
            "ClusterStatus": cluster["ClusterStatus"],
            "CreationTime": cluster["CreationTime"].isoformat(),
            "FailureMessage": "",
        }


MODELS = (Cluster(),)
