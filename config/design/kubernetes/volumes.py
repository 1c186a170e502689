"""Shared storage in Kubernetes: static volumes, each for one claim only.

The stack creates the file systems. A driver that creates a file system for a claim times out if the file
system is large, and rounds its size to values that EFA does not support (aws-fsx-csi-driver #433). Ids are
plain strings here and can be tokens. Pods with an fsGroup need `fsGroupChangePolicy: OnRootMismatch`; without
it the kubelet checks all files at each start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from config.design.nodes.clients import SharedHome, SharedLustre, lustre_options
from config.design.zones import is_zone_id

Manifest = dict[str, Any]
_ANY_GIB = 1
"""Size of a volume. Kubernetes requires it, and elastic storage ignores it."""

_CLAIMED = "1Gi"
"""Size of a claim, independent of its volume.

If it were the file system's size, a larger file system would need a larger claim. Kubernetes does not let a
claim of a static volume grow, so the deployment would fail after the file system has grown, and file systems
cannot shrink. Source:
kubernetes/kubernetes:plugin/pkg/admission/storage/persistentvolume/resize/admission.go.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketVolume:
    """An S3 bucket, or a prefix of it, as files in pods (Mountpoint for Amazon S3).

    `zone` is the zone of a directory bucket, by name or id: pods in other zones would have a higher latency.
    `cache_gib` is the size of the read cache on the node's disk; 0 disables it.
    """

    name: str
    bucket: str
    region: str
    prefix: str = ""
    read_only: bool = True
    cache_gib: int = 0
    zone: str | None = None
    attributes: Mapping[str, str] = field(default_factory=dict, hash=False)


def lustre_volume(
    file_system: SharedLustre, *, namespace: str, file_system_id: str, dns_name: str, mount_name: str
) -> tuple[Manifest, Manifest]:
    """Return the volume and claim of a Lustre file system.

    Source: kubernetes-sigs/aws-fsx-csi-driver:examples/kubernetes/static_provisioning.
    """
    return _pair(
        file_system.name,
        namespace,
        file_system.capacity_gib,
        driver="fsx.csi.aws.com",
        handle=f"{file_system_id}-{namespace}",
        attributes={"dnsname": dns_name, "mountname": mount_name},
        options=lustre_options(file_system),
    )


def home_volume(
    home: SharedHome, *, namespace: str, file_system_id: str, dns_name: str
) -> tuple[Manifest, Manifest]:
    """Return the volume and claim of the home directories: the root volume of an OpenZFS file system.

    Source: kubernetes-sigs/aws-fsx-openzfs-csi-driver:examples/kubernetes/static-provisioning/filesystem.
    """
    return _pair(
        "home",
        namespace,
        home.capacity_gib,
        driver="fsx.openzfs.csi.aws.com",
        handle=f"{file_system_id}-{namespace}",
        attributes={"DNSName": dns_name, "ResourceType": "filesystem"},
        options=[option for option in home.options if option != "_netdev"],
    )


def bucket_volume(volume: BucketVolume, *, namespace: str) -> tuple[Manifest, Manifest]:
    """Return the volume and claim of a bucket.

    Mountpoint does not support rename, so do not use it for checkpoints that are renamed. Sources:
    awslabs/mountpoint-s3-csi-driver:docs/CONFIGURATION.md and docs/CACHING.md.
    """
    prefix = volume.prefix.strip("/")
    options = [f"region {volume.region}"]
    options += [f"prefix {prefix}/"] if prefix else []
    options += ["read-only"] if volume.read_only else ["allow-delete", "allow-overwrite"]
    attributes = {"bucketName": volume.bucket, **volume.attributes}
    if volume.cache_gib:
        attributes |= {"cache": "emptyDir", "cacheEmptyDirSizeLimit": f"{volume.cache_gib}Gi"}
    persistent, claim = _pair(
        volume.name,
        namespace,
        None,
        driver="s3.csi.aws.com",
        handle=f"{namespace}-{volume.name}",
        attributes=attributes,
        options=options,
        mode="ReadOnlyMany" if volume.read_only else "ReadWriteMany",
    )
    if volume.zone:
        persistent["spec"]["nodeAffinity"] = _only_in(volume.zone)
    return persistent, claim


def _pair(
    name: str,
    namespace: str,
    capacity_gib: int | None,
    *,
    driver: str,
    handle: str,
    attributes: Mapping[str, str],
    options: Sequence[str],
    mode: str = "ReadWriteMany",
) -> tuple[Manifest, Manifest]:
    """Return a volume that only its claim can bind; it is retained when the claim is deleted.

    Kubernetes identifies a volume by a handle that is unique in the cluster. The volume of each namespace has
    another handle, because the kubelet would treat two volumes with the same handle as one. Drivers mount by
    name and ignore the handle.
    """
    size = f"{capacity_gib or _ANY_GIB}Gi"
    labels = {"app.kubernetes.io/managed-by": "ultracluster"}
    volume_name = f"{namespace}-{name}"
    volume = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": volume_name, "labels": labels},
        "spec": {
            "accessModes": [mode],
            "capacity": {"storage": size},
            "claimRef": {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "name": name,
                "namespace": namespace,
            },
            "csi": {"driver": driver, "volumeHandle": handle, "volumeAttributes": dict(attributes)},
            "mountOptions": list(options),
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": "",
            "volumeMode": "Filesystem",
        },
    }
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": namespace, "labels": labels},
        "spec": {
            "accessModes": [mode],
            "resources": {"requests": {"storage": _CLAIMED}},
            "storageClassName": "",
            "volumeName": volume_name,
        },
    }
    return volume, claim


def _only_in(zone: str) -> Manifest:
    key = "topology.k8s.aws/zone-id" if is_zone_id(zone) else "topology.kubernetes.io/zone"
    expression = {"key": key, "operator": "In", "values": [zone]}
    return {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}
