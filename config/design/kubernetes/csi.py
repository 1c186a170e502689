"""Storage of a cluster: static volumes, and CSI drivers that are not allowed to create file systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from config.catalog import catalog
from config.design.kubernetes.model import AddonPlan, IdentityPlan, Part
from config.design.kubernetes.steps import Manifest, Release, later
from config.design.kubernetes.volumes import BucketVolume, bucket_volume, home_volume, lustre_volume
from config.design.nodes.storage import NodeStorage
from config.design.storage.object_storage import ExpressPlan, MountpointPlan

LUSTRE_ADDON = "aws-fsx-csi-driver"
MOUNTPOINT_ADDON = "aws-mountpoint-s3-csi-driver"
OPENZFS_CHART = "aws-fsx-openzfs-csi-driver"

_LUSTRE_TAINT = "fsx.csi.aws.com/agent-not-ready"
_OPENZFS_TAINT = "fsx.openzfs.csi.aws.com/agent-not-ready"
_KUBE_SYSTEM = "kube-system"
_READ = ("s3:GetObject",)
_WRITE = ("s3:PutObject", "s3:AbortMultipartUpload", "s3:DeleteObject")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterStorage:
    """Storage that pods can mount; each of `namespaces` gets a volume and a claim for each file system."""

    region: str
    nodes: NodeStorage
    mountpoints: tuple[MountpointPlan, ...] = ()
    express: ExpressPlan | None = field(default=None)
    namespaces: tuple[str, ...] = ("default",)


def startup_taints(storage: NodeStorage) -> tuple[str, ...]:
    """Return the taints that keep pods off a node until its CSI drivers run; the drivers remove the taints.

    Sources: https://docs.aws.amazon.com/eks/latest/userguide/fsx-csi.html,
    kubernetes-sigs/aws-fsx-openzfs-csi-driver:docs/install.md.
    """
    return ((_LUSTRE_TAINT,) if storage.file_systems else ()) + ((_OPENZFS_TAINT,) if storage.home else ())


def plan_storage(storage: ClusterStorage, after: tuple[str, ...] = ()) -> Part:
    """Return CSI drivers, roles and volumes; `after` names the steps that create the namespaces."""
    nodes = storage.nodes
    wanted = ((LUSTRE_ADDON, nodes.file_systems), (MOUNTPOINT_ADDON, storage.mountpoints))
    return Part(
        addons=tuple(AddonPlan(name=name, after_nodes=True) for name, there in wanted if there),
        identities=_identities(storage),
        steps=(*((_openzfs(),) if nodes.home else ()), *_volumes(storage, after)),
    )


def _openzfs() -> Release:
    """Return the release of the OpenZFS driver, which is not available as an EKS add-on.

    Helm does not wait for its DaemonSet, which also runs on GPU nodes (failure report EKS-48).
    """
    values = {
        "controller": {"serviceAccount": {"name": "fsx-openzfs-csi-controller-sa"}},
        "node": {"tolerateAllTaints": True},
    }
    return Release(name=OPENZFS_CHART, chart=OPENZFS_CHART, namespace=_KUBE_SYSTEM, values=values, wait=False)


def _identities(storage: ClusterStorage) -> tuple[IdentityPlan, ...]:
    found = []
    if storage.nodes.file_systems:
        found.append(_may_look(LUSTRE_ADDON, "fsx-csi-controller-sa", "fsx:DescribeFileSystems"))
    if storage.nodes.home:
        account = "fsx-openzfs-csi-controller-sa"
        found.append(_may_look(OPENZFS_CHART, account, "fsx:DescribeFileSystems", "fsx:DescribeVolumes"))
    if storage.mountpoints:
        statements = tuple(
            statement
            for mountpoint in storage.mountpoints
            for statement in _bucket(storage.region, mountpoint)
        )
        found.append(
            IdentityPlan(
                name=MOUNTPOINT_ADDON,
                namespace=_KUBE_SYSTEM,
                service_account="s3-csi-driver-sa",
                statements=statements,
            )
        )
    return tuple(found)


def _may_look(name: str, service_account: str, *actions: str) -> IdentityPlan:
    """Return a driver's role without rights to create, change or delete file systems."""
    statement = {"Effect": "Allow", "Action": [*actions], "Resource": "*"}
    return IdentityPlan(
        name=name, namespace=_KUBE_SYSTEM, service_account=service_account, statements=(statement,)
    )


def partition_of(region: str) -> str:
    """Return the AWS partition of a Region, for ARNs."""
    known = catalog().region(region)
    return known.partition if known else "aws"


def _bucket(region: str, mountpoint: MountpointPlan) -> list[Mapping[str, Any]]:
    """Return the statements that allow a mountpoint to access its prefix of a bucket.

    Source: awslabs/mountpoint-s3:doc/CONFIGURATION.md (IAM permissions).
    """
    partition = partition_of(region)
    if mountpoint.bucket is None:
        bucket = f"arn:{partition}:s3express:{region}:*:bucket/{later('express-bucket-name')}"
        # without SessionMode the session is ReadWrite
        mode = {"Condition": {"StringEquals": {"s3express:SessionMode": "ReadOnly"}}}
        session = {"Effect": "Allow", "Action": ["s3express:CreateSession"], "Resource": bucket}
        return [session | (mode if mountpoint.read_only else {})]
    bucket = f"arn:{partition}:s3:::{mountpoint.bucket}"
    listing: dict[str, Any] = {"Effect": "Allow", "Action": ["s3:ListBucket"], "Resource": bucket}
    if mountpoint.prefix:
        listing["Condition"] = {"StringLike": {"s3:prefix": [f"{mountpoint.prefix}/*"]}}
    actions = [*_READ, *(() if mountpoint.read_only else _WRITE)]
    below = f"{bucket}/{mountpoint.prefix}/*" if mountpoint.prefix else f"{bucket}/*"
    return [listing, {"Effect": "Allow", "Action": actions, "Resource": below}]


def _volumes(storage: ClusterStorage, after: tuple[str, ...]) -> tuple[Manifest, ...]:
    found = []
    for namespace in storage.namespaces:
        objects = tuple(manifest for pair in _of_namespace(storage, namespace) for manifest in pair)
        if objects:
            found.append(Manifest(name=f"volumes-{namespace}", objects=objects, after=after))
    return tuple(found)


def _of_namespace(
    storage: ClusterStorage, namespace: str
) -> Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    nodes = storage.nodes
    found: list[tuple[Mapping[str, Any], Mapping[str, Any]]] = [
        lustre_volume(
            system,
            namespace=namespace,
            file_system_id=later("file-system-id", system.name),
            dns_name=later("file-system-dns-name", system.name),
            mount_name=later("file-system-mount-name", system.name),
        )
        for system in nodes.file_systems
    ]
    if nodes.home:
        found.append(
            home_volume(
                nodes.home,
                namespace=namespace,
                file_system_id=later("home-id"),
                dns_name=later("home-dns-name"),
            )
        )
    found += [
        bucket_volume(_bucket_volume(storage, mountpoint), namespace=namespace)
        for mountpoint in storage.mountpoints
    ]
    return found


def _bucket_volume(storage: ClusterStorage, mountpoint: MountpointPlan) -> BucketVolume:
    own = mountpoint.bucket is None
    return BucketVolume(
        name=mountpoint.name,
        bucket=mountpoint.bucket or later("express-bucket-name"),
        region=storage.region,
        prefix=mountpoint.prefix,
        read_only=mountpoint.read_only,
        cache_gib=mountpoint.cache_gib,
        zone=storage.express.zone_id if own and storage.express else None,
    )
