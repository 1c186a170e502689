"""Convert HyperPod instance groups from the form of a request to that of the cluster's description."""

from __future__ import annotations

from typing import Any

from scripts.cloud.extensions.records import Record

_OTHERWISE = ("InstanceCount", "MinInstanceCount", "ImageId", "ImageReleaseVersion", "Kind")


def described(group: Record, nodes: int) -> Record:
    """Return a group in the format of DescribeCluster, with its current nodes."""
    shown: Record = {key: value for key, value in group.items() if key not in _OTHERWISE}
    shown |= {
        "CurrentCount": nodes,
        "TargetCount": group["InstanceCount"],
        "Status": "InService",
    }
    if "MinInstanceCount" in group:
        shown["MinCount"] = group["MinInstanceCount"]
    for name in ("ImageId", "ImageReleaseVersion"):
        if name in group:
            shown |= _now_and_wished(name, group[name])
    if "InstanceRequirements" in group:
        shown["InstanceRequirements"] = _now_and_wished(
            "InstanceTypes", group["InstanceRequirements"]["InstanceTypes"]
        )
    if "KubernetesConfig" in group:
        kubernetes = group["KubernetesConfig"]
        shown["KubernetesConfig"] = _now_and_wished("Labels", kubernetes.get("Labels") or {})
        shown["KubernetesConfig"] |= _now_and_wished("Taints", kubernetes.get("Taints") or [])
    return shown


def volume_keys(groups: list[Record]) -> list[str]:
    """Return the KMS keys of the groups' volumes."""
    volumes = [
        config["EbsVolumeConfig"]
        for group in groups
        for config in group.get("InstanceStorageConfigs") or []
        if "EbsVolumeConfig" in config
    ]
    return [volume["VolumeKmsKeyId"] for volume in volumes if volume.get("VolumeKmsKeyId")]


def _now_and_wished(name: str, value: Any) -> Record:
    return {f"Current{name}": value, f"Desired{name}": value}
