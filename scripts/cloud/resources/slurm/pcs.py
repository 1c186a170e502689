"""Slurm clusters of AWS PCS, their compute node groups and queues."""

# ruff: noqa: D102 - create, update, delete and read are described by Model

from __future__ import annotations

from collections.abc import Mapping
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


def _attributes(record: Mapping[str, Any]) -> dict[str, Any]:
    return {"Arn": record["arn"], "Id": record["id"], "Status": record["status"], "ErrorInfo": []}


class Cluster(Model):
    """A Slurm controller that PCS runs."""

    type = "AWS::PCS::Cluster"

    def create(self, context: Context, properties: Properties) -> Created:
        request = camel(only(properties, "Scheduler", "Size", "Networking", "SlurmConfiguration"))
        cluster = context.client("pcs").create_cluster(
            clusterName=properties.get("Name") or context.generated_name(40),
            **request,
            tags=context.tags(properties),
        )["cluster"]
        return Created(cluster["arn"], self._attributes(cluster))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        settings: dict[str, Any] = {"slurmConfiguration": camel(properties.get("SlurmConfiguration", {}))}
        if properties["Scheduler"] != existing.properties["Scheduler"]:
            settings["scheduler"] = camel(only(properties["Scheduler"], "Version"))
        pcs, cluster_id = context.client("pcs"), existing.attributes["Id"]
        cluster = pcs.update_cluster(clusterIdentifier=cluster_id, **settings)["cluster"]
        retag(context, context.client("pcs"), existing.attributes["Arn"], existing.properties, properties)
        return self._attributes(cluster)

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("pcs").delete_cluster(clusterIdentifier=existing.attributes["Id"])

    def read(self, context: Context, existing: Existing) -> Properties | None:
        pcs = context.client("pcs")
        answer = found(pcs.get_cluster, clusterIdentifier=existing.attributes["Id"])
        names = ("scheduler", "size", "networking", "slurmConfiguration")
        return None if answer is None else known(**pascal(only(answer["cluster"], *names)))

    @staticmethod
    def _attributes(cluster: Mapping[str, Any]) -> Properties:
        return _attributes(cluster) | {"Endpoints": pascal(cluster["endpoints"])}


class ComputeNodeGroup(Model):
    """Instances of one kind for the queues of a cluster, or for its users to log in."""

    type = "AWS::PCS::ComputeNodeGroup"
    _SETTINGS = (
        "AmiId",
        "IamInstanceProfileArn",
        "NodeLifecycleActions",
        "PurchaseOption",
        "ScalingConfiguration",
        "SlurmConfiguration",
        "SpotOptions",
        "SubnetIds",
    )

    def create(self, context: Context, properties: Properties) -> Created:
        group = context.client("pcs").create_compute_node_group(
            clusterIdentifier=properties["ClusterId"],
            computeNodeGroupName=properties.get("Name") or context.generated_name(25),
            instanceConfigs=camel(properties["InstanceConfigs"]),
            tags=context.tags(properties),
            **self._settings(properties),
        )["computeNodeGroup"]
        return Created(group["arn"], _attributes(group))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        context.client("pcs").update_compute_node_group(**self._names(existing), **self._settings(properties))
        retag(context, context.client("pcs"), existing.attributes["Arn"], existing.properties, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("pcs").delete_compute_node_group(**self._names(existing))

    def read(self, context: Context, existing: Existing) -> Properties | None:
        answer = found(context.client("pcs").get_compute_node_group, **self._names(existing))
        if answer is None:
            return None
        group = answer["computeNodeGroup"]
        names = [name[0].lower() + name[1:] for name in (*self._SETTINGS, "InstanceConfigs")]
        template = group.get("customLaunchTemplate")
        return known(
            **pascal(only(group, *names)),
            CustomLaunchTemplate=template and {"TemplateId": template["id"], "Version": template["version"]},
        )

    def _settings(self, properties: Properties) -> dict[str, Any]:
        request: dict[str, Any] = camel(only(properties, *self._SETTINGS))
        if "CustomLaunchTemplate" in properties:
            template = properties["CustomLaunchTemplate"]
            request["customLaunchTemplate"] = {
                "id": template.get("TemplateId"),
                "version": template.get("Version"),
            }
        return request

    @staticmethod
    def _names(existing: Existing) -> dict[str, str]:
        cluster, group = existing.properties["ClusterId"], existing.attributes["Id"]
        return {"clusterIdentifier": cluster, "computeNodeGroupIdentifier": group}


class Queue(Model):
    """A queue, which is a partition of Slurm."""

    type = "AWS::PCS::Queue"
    _SETTINGS = ("ComputeNodeGroupConfigurations", "SlurmConfiguration")

    def create(self, context: Context, properties: Properties) -> Created:
        queue = context.client("pcs").create_queue(
            clusterIdentifier=properties["ClusterId"],
            queueName=properties.get("Name") or context.generated_name(25),
            tags=context.tags(properties),
            **camel(only(properties, *self._SETTINGS)),
        )["queue"]
        return Created(queue["arn"], _attributes(queue))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        settings = camel({"ComputeNodeGroupConfigurations": [], **only(properties, *self._SETTINGS)})
        context.client("pcs").update_queue(**self._names(existing), **settings)
        retag(context, context.client("pcs"), existing.attributes["Arn"], existing.properties, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("pcs").delete_queue(**self._names(existing))

    def read(self, context: Context, existing: Existing) -> Properties | None:
        answer = found(context.client("pcs").get_queue, **self._names(existing))
        names = [name[0].lower() + name[1:] for name in self._SETTINGS]
        return None if answer is None else known(**pascal(only(answer["queue"], *names)))

    @staticmethod
    def _names(existing: Existing) -> dict[str, str]:
        cluster, queue = existing.properties["ClusterId"], existing.attributes["Id"]
        return {"clusterIdentifier": cluster, "queueIdentifier": queue}


MODELS = (Cluster(), ComputeNodeGroup(), Queue())
