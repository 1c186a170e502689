"""EKS clusters and managed node groups."""

# ruff: noqa: D102 - Model describes create, update, delete and read

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.api import ApiModel, call
from scripts.cloud.resources.base import Context, Created, Existing, Properties, known, only
from scripts.cloud.resources.casing import camel

# UpdateClusterConfig changes one of these in a request
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


class Cluster(ApiModel):
    """An EKS cluster."""

    type = "AWS::EKS::Cluster"
    service, noun = "eks", "cluster"
    updates = ""
    refreshed = True
    named = ("Name", "name", 100)
    key = ("name",)

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        return {**new, "Logging": _logging(new)}

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties | Created:
        eks, name, old = context.client("eks"), existing.physical_id, existing.properties
        if properties.get("Version", old.get("Version")) != old.get("Version"):
            eks.update_cluster_version(name=name, version=properties["Version"])
        for kind in _UPDATES:
            changed = [key for key in kind if properties.get(key) != old.get(key)]
            request = {key: value for key in changed if (value := _changeable(key, properties)) is not None}
            if request:
                call(eks, "update_cluster_config", request, name=name)
        return super().update(context, existing, properties)

    def attributes(self, context: Context, existing: Existing, made: Properties) -> dict[str, Any]:
        keys = [encrypted["Provider"]["KeyArn"] for encrypted in made.get("EncryptionConfig", [])]
        return {
            **super().attributes(context, existing, made),
            "CertificateAuthorityData": made["CertificateAuthority"]["Data"],
            "ClusterSecurityGroupId": made["ResourcesVpcConfig"]["ClusterSecurityGroupId"],
            "EncryptionConfigKeyArn": keys[0] if keys else "",
            "OpenIdConnectIssuerUrl": made["Identity"]["Oidc"]["Issuer"],
            "KubernetesNetworkConfig": {"ServiceIpv6Cidr": ""},
        }

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        network = {k: v for k, v in record["ResourcesVpcConfig"].items() if k not in _COMPUTED}
        logging = [
            {"Type": kind}
            for setup in record.get("Logging", {}).get("ClusterLogging", [])
            if setup["Enabled"]
            for kind in sorted(setup["Types"])
        ]
        more = {
            "Logging": logging and {"ClusterLogging": {"EnabledTypes": logging}},
            "ResourcesVpcConfig": network,
        }
        return super().properties(context, existing, {**record, **more})


_COMPUTED = ("ClusterSecurityGroupId", "VpcId")


def _changeable(key: str, properties: Properties) -> Any | None:
    """Return a property in the format of UpdateClusterConfig."""
    value = _logging(properties) if key == "Logging" else properties.get(key)
    return only(value, *_AT_CREATION[key]) or None if key in _AT_CREATION and value else value


_LOG_TYPES = ("api", "audit", "authenticator", "controllerManager", "scheduler")


def _logging(properties: Properties) -> dict[str, Any]:
    """Return all log types in the API's format: the properties list only the enabled ones."""
    logging = properties.get("Logging", {}).get("ClusterLogging", {}).get("EnabledTypes", [])
    enabled = sorted(entry["Type"] for entry in logging)
    others = [kind for kind in _LOG_TYPES if kind not in enabled]
    setups = [{"types": types, "enabled": on} for types, on in ((enabled, True), (others, False)) if types]
    return {"clusterLogging": setups}


class Nodegroup(ApiModel):
    """A managed node group."""

    type = "AWS::EKS::Nodegroup"
    service, noun = "eks", "nodegroup"
    updates = "update_nodegroup_config"
    named = ("NodegroupName", "nodegroupName", 63)
    key = ("clusterName:ClusterName", "nodegroupName:NodegroupName")
    ref = "{ClusterName}/{NodegroupName}"
    shown = ("ClusterName", "NodegroupName")

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        if old is None:
            return new
        changed = {name: value for name, value in new.items() if name not in ("Labels", "Taints")}
        return changed | _labels(old, new) | _taints(old, new)

    def settle(self, context: Context, client: Any, existing: Existing, properties: Properties) -> None:
        before, version = existing.properties, only(properties, "Version", "ReleaseVersion", "LaunchTemplate")
        if before and any(value != before.get(key) for key, value in version.items()):
            names = self.request(context, "update_nodegroup_version", existing)
            call(client, "update_nodegroup_version", version, **names)


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
