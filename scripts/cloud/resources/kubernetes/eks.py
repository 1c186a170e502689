"""Clusters and managed node groups of EKS."""

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

# the kinds of change of UpdateClusterConfig: one in a request
_UPDATES = (
    ("ResourcesVpcConfig",),
    ("Logging",),
    ("AccessConfig",),
    ("UpgradePolicy",),
    ("ZonalShiftConfig",),
    ("ComputeConfig", "KubernetesNetworkConfig", "StorageConfig"),
    ("RemoteNetworkConfig",),
    ("DeletionProtection",),
    ("ControlPlaneScalingConfig",),
)
_AT_CREATION = {
    "AccessConfig": ("AuthenticationMode",),
    "KubernetesNetworkConfig": ("ElasticLoadBalancing",),
}


class Cluster(Model):
    """A Kubernetes control plane."""

    type = "AWS::EKS::Cluster"

    def create(self, context: Context, properties: Properties) -> Created:
        eks = context.client("eks")
        name = properties.get("Name") or context.generated_name(100)
        settings = {k: v for k, v in properties.items() if k not in ("Tags", "Logging", "Force", "Name")}
        request = camel(settings) | {"name": name, "tags": context.tags(properties)}
        cluster = eks.create_cluster(**request, **_logging(properties))["cluster"]
        return Created(name, _attributes(cluster))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        eks, name = context.client("eks"), existing.physical_id
        if properties.get("Version", existing.properties.get("Version")) != existing.properties.get(
            "Version"
        ):
            eks.update_cluster_version(name=name, version=properties["Version"])
        for kind in _UPDATES:
            changed = [key for key in kind if properties.get(key) != existing.properties.get(key)]
            request = {key: value for key in changed if (value := _changeable(key, properties)) is not None}
            if "Logging" in request:
                eks.update_cluster_config(name=name, **_logging(properties))
            elif request:
                eks.update_cluster_config(name=name, **camel(request))
        retag(context, eks, existing.attributes["Arn"], existing.properties, properties)
        return _attributes(eks.describe_cluster(name=name)["cluster"])

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("eks").delete_cluster(name=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        answer = found(context.client("eks").describe_cluster, name=existing.physical_id)
        if answer is None:
            return None
        cluster = answer["cluster"]
        network = {k: v for k, v in cluster["resourcesVpcConfig"].items() if k not in _COMPUTED}
        names = (
            "version",
            "roleArn",
            "accessConfig",
            "upgradePolicy",
            "zonalShiftConfig",
            "computeConfig",
            "storageConfig",
            "kubernetesNetworkConfig",
            "remoteNetworkConfig",
            "encryptionConfig",
            "deletionProtection",
            "controlPlaneScalingConfig",
        )
        logging = [
            {"Type": kind}
            for setup in cluster.get("logging", {}).get("clusterLogging", [])
            if setup["enabled"]
            for kind in sorted(setup["types"])
        ]
        return known(
            **pascal(only(cluster, *names)),
            ResourcesVpcConfig=pascal(network),
            Logging={"ClusterLogging": {"EnabledTypes": logging}} if logging else None,
        )


_COMPUTED = ("clusterSecurityGroupId", "vpcId")


def _changeable(key: str, properties: Properties) -> Any | None:
    """What UpdateClusterConfig takes of a property."""
    value = properties.get(key, {} if key == "Logging" else None)
    return only(value, *_AT_CREATION[key]) or None if key in _AT_CREATION and value else value


_LOG_TYPES = ("api", "audit", "authenticator", "controllerManager", "scheduler")


def _logging(properties: Properties) -> dict[str, Any]:
    """CloudFormation lists the enabled types; the API takes those and the others."""
    logging = properties.get("Logging", {}).get("ClusterLogging", {}).get("EnabledTypes", [])
    enabled = sorted(entry["Type"] for entry in logging)
    others = [kind for kind in _LOG_TYPES if kind not in enabled]
    setups = [{"types": types, "enabled": on} for types, on in ((enabled, True), (others, False)) if types]
    return {"logging": {"clusterLogging": setups}}


def _attributes(cluster: Mapping[str, Any]) -> Properties:
    keys = [e["provider"]["keyArn"] for e in cluster.get("encryptionConfig", [])]
    return {
        "Arn": cluster["arn"],
        "Endpoint": cluster["endpoint"],
        "CertificateAuthorityData": cluster["certificateAuthority"]["data"],
        "ClusterSecurityGroupId": cluster["resourcesVpcConfig"]["clusterSecurityGroupId"],
        "EncryptionConfigKeyArn": keys[0] if keys else "",
        "OpenIdConnectIssuerUrl": cluster["identity"]["oidc"]["issuer"],
        "KubernetesNetworkConfig": {"ServiceIpv6Cidr": ""},
        "Id": cluster["arn"].split("/")[-1],
    }


class Nodegroup(Model):
    """A managed node group."""

    type = "AWS::EKS::Nodegroup"

    def create(self, context: Context, properties: Properties) -> Created:
        name = properties.get("NodegroupName") or context.generated_name(63)
        settings = {k: v for k, v in properties.items() if k != "ForceUpdateEnabled"}
        request = camel(settings) | {"nodegroupName": name, "tags": context.tags(properties)}
        group = context.client("eks").create_nodegroup(**request)["nodegroup"]
        attributes = {
            "Arn": group["nodegroupArn"],
            "ClusterName": group["clusterName"],
            "Id": f"{group['clusterName']}/{name}",
            "NodegroupName": name,
        }
        return Created(attributes["Id"], attributes)

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        eks, before = context.client("eks"), existing.properties
        request = self._names(existing)
        version = only(properties, "Version", "ReleaseVersion", "LaunchTemplate")
        if any(value != before.get(key) for key, value in version.items()):
            eks.update_nodegroup_version(**request, **camel(version))
        settings = only(properties, "ScalingConfig", "UpdateConfig", "NodeRepairConfig", "WarmPoolConfig")
        labels, taints = _labels(before, properties), _taints(before, properties)
        eks.update_nodegroup_config(**request, **camel(settings), **labels, **taints)
        retag(context, eks, existing.attributes["Arn"], before, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("eks").delete_nodegroup(**self._names(existing))

    def read(self, context: Context, existing: Existing) -> Properties | None:
        answer = found(context.client("eks").describe_nodegroup, **self._names(existing))
        if answer is None:
            return None
        names = (
            "amiType",
            "capacityType",
            "diskSize",
            "instanceTypes",
            "labels",
            "launchTemplate",
            "nodeRepairConfig",
            "nodeRole",
            "releaseVersion",
            "scalingConfig",
            "subnets",
            "taints",
            "updateConfig",
            "version",
            "warmPoolConfig",
        )
        return known(**pascal(only(answer["nodegroup"], *names)))

    @staticmethod
    def _names(existing: Existing) -> dict[str, str]:
        cluster, name = existing.physical_id.split("/")
        return {"clusterName": cluster, "nodegroupName": name}


def _labels(before: Properties, after: Properties) -> dict[str, Any]:
    old, new = (p.get("Labels") or {} for p in (before, after))
    payload = known(addOrUpdateLabels=new, removeLabels=sorted(set(old) - set(new)))
    return {"labels": payload} if payload else {}


def _taints(before: Properties, after: Properties) -> dict[str, Any]:
    old, new = (camel(p.get("Taints") or []) for p in (before, after))
    kept = [(taint["key"], taint["effect"]) for taint in new]
    removed = [taint for taint in old if (taint["key"], taint["effect"]) not in kept]
    payload = known(addOrUpdateTaints=new, removeTaints=removed)
    return {"taints": payload} if payload else {}


MODELS = (Cluster(), Nodegroup())
