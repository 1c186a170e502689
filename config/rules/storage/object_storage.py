"""Rules for directory buckets (S3 Express One Zone), and for buckets that pods mount as volumes."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.design.model import Design
from config.design.names import is_bucket_name, is_directory_bucket
from config.design.storage.object_storage import EXPRESS
from config.design.zones import is_zone_id
from config.rules.parts import either
from config.rules.registry import ERROR, NOTE, Finding, rule

_ZONES = "https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-express-Endpoints.html"
_MOUNTPOINT = "https://docs.aws.amazon.com/eks/latest/userguide/s3-csi.html"
_SEMANTICS = "https://docs.aws.amazon.com/AmazonS3/latest/userguide/mountpoint.html"
_AT = ("storage", "s3_express")


@rule(
    "EXB001", ERROR, "the profile sets the zone of a directory bucket by its ID",
    why="The name of a directory bucket contains the zone ID. A zone name does not identify the zone, because one name can mean "
    "different zones in different accounts.",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/directory-bucket-naming-rules.html",
    reads="storage region availability_zone availability_zone_id",
    where="s3-express",
)  # fmt: skip
def zone_is_set_by_id(design: Design) -> Iterator[Finding]:
    """Check that the cluster's zone is set by ID."""
    zone = design.profile.zone
    if _has_express(design) and zone and not is_zone_id(zone):
        yield Finding(
            at=_AT,
            message=f"a directory bucket requires a zone ID, but {zone} is a zone name",
            hint=f"set `availability_zone_id` instead; {_where(design)}",
        )


@rule(
    "EXB002", ERROR, "the zone offers directory buckets",
    why="S3 Express One Zone is available only in some zones of some Regions. A directory bucket is fast only for instances in "
    "the same zone.",
    source=_ZONES, reads="storage region availability_zone availability_zone_id",
    ages="the zones of S3 Express One Zone",
    where="s3-express",
)  # fmt: skip
def zone_has_directory_buckets(design: Design) -> Iterator[Finding]:
    """Check the ID of the cluster's zone."""
    zone = design.profile.zone
    if _has_express(design) and is_zone_id(zone) and not catalog().s3_express.offered(zone):
        yield Finding(
            at=_AT,
            message=f"{zone} does not offer directory buckets",
            hint=f"{_without_its_volumes(design)}set `s3_express: null`; {_where(design)}",
        )


def _without_its_volumes(design: Design) -> str:
    """Return the hint for volumes that use the directory bucket; empty if there are no such volumes."""
    declared = design.profile.storage.mountpoints if design.profile.storage else ()
    names = [mountpoint.name for mountpoint in declared if mountpoint.bucket == EXPRESS]
    return f"use an existing `bucket` for {', '.join(names)}, and " if names else ""


def _has_express(design: Design) -> bool:
    storage = design.profile.storage
    return storage is not None and storage.s3_express is not None


def _where(design: Design) -> str:
    region = design.profile.region
    offered = catalog().s3_express.zones_of(region)
    return (
        f"{region} offers directory buckets in {either(offered)}"
        if offered
        else f"{region} does not offer directory buckets"
    )


@rule(
    "EXB003", NOTE, "the network has a gateway endpoint for the directory bucket",
    why="Without the endpoint, requests to a directory bucket use the NAT gateway, which is slower and costs extra.",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-express-networking.html",
    reads="storage network data",
    where="s3-express",
)  # fmt: skip
def network_has_the_endpoint(design: Design) -> Iterator[Finding]:
    """Report a directory bucket if the network exists already or belongs to a data profile."""
    network, data = design.profile.network, design.data_profile
    if not _has_express(design):
        return
    if network and network.kind == "existing":
        yield Finding(
            at=_AT,
            message="ultracluster cannot check offline whether the network has a gateway endpoint for directory buckets",
            hint=f"create a gateway endpoint for com.amazonaws.{design.profile.region}.{catalog().s3_express.endpoint} if the network does not have one",
        )
    elif network is None and data and not (design.network and design.network.s3_express_endpoint):
        yield Finding(
            at=_AT,
            message=f"the network of {data.name} does not have a gateway endpoint for directory buckets",
            hint=f"declare `s3_express` in {data.name} instead, which creates the bucket and the endpoint",
        )


@rule(
    "MNT001", ERROR, "mountpoints are declared only under Kubernetes",
    why="The Mountpoint for Amazon S3 CSI driver runs on EKS. AWS does not offer a component that mounts a bucket for a Slurm job.",
    source=_MOUNTPOINT, reads="storage orchestrator",
    where="mountpoints",
)  # fmt: skip
def mountpoints_have_a_driver(design: Design) -> Iterator[Finding]:
    """Check the control plane of a profile with mountpoints."""
    profile = design.profile
    declared = profile.storage.mountpoints if profile.storage else ()
    kind = profile.orchestrator.kind if profile.orchestrator else None
    if declared and kind is not None and kind not in ("eks", "hyperpod-eks"):
        yield Finding(
            at=("storage", "mountpoints"),
            message=f"{kind} has no driver that mounts buckets, so it cannot use the mountpoints: {', '.join(m.name for m in declared)}",
            hint="set `mountpoints: []`, and add the buckets to `data_repositories` of a Lustre file system",
        )


@rule(
    "MNT002", ERROR, "a mountpoint has a valid bucket and a unique name",
    why="Pods that use a volume without a bucket do not start. Kubernetes requires a unique name for each volume.",
    source=_MOUNTPOINT, reads="storage data region availability_zone availability_zone_id",
    where="mountpoints",
)  # fmt: skip
def mountpoints_name_their_buckets(design: Design) -> Iterator[Finding]:
    """Check the bucket and the name of each mountpoint."""
    storage, data = design.profile.storage, design.data_profile
    theirs = data is not None and data.storage is not None and data.storage.s3_express is not None
    seen: set[str] = set()
    for i, mountpoint in enumerate(storage.mountpoints if storage else ()):
        at, bucket = ("storage", "mountpoints", i), mountpoint.bucket
        if bucket == EXPRESS and not theirs and not _has_express(design):
            yield Finding(
                at=(*at, "bucket"),
                message="the profile does not declare a directory bucket",
                hint=_get_express(design),
            )
        elif bucket != EXPRESS and not is_bucket_name(bucket) and not is_directory_bucket(bucket):
            yield Finding(
                at=(*at, "bucket"),
                message=f"{bucket!r} is not a valid bucket name",
                hint=f"set `bucket` to `{EXPRESS}`, or to the bucket's name",
            )
        if mountpoint.name in seen:
            yield Finding(
                at=(*at, "name"),
                message=f"the name {mountpoint.name} is already used",
                hint="set another `name`",
            )
        seen.add(mountpoint.name)


def _get_express(design: Design) -> str:
    """Return the hint for a volume whose directory bucket the profile does not declare."""
    zone, other = design.profile.zone, "use an existing `bucket`"
    if not is_zone_id(zone):
        return f"{other}, or set `s3_express: {{}}` and the zone's `availability_zone_id`; {_where(design)}"
    if not catalog().s3_express.offered(zone):
        return f"{other}; {zone} does not offer directory buckets, but {_where(design)}"
    return "set `s3_express: {}`, or set `bucket` to an existing bucket"


@rule(
    "MNT003", NOTE, "files on a mountpoint are written once",
    why="Mountpoint writes new objects sequentially. It cannot modify or rename files, but programs rename files when they "
    "replace a checkpoint.",
    source=_SEMANTICS, reads="storage",
    where="mountpoints",
)  # fmt: skip
def writable_mountpoints_are_reported(design: Design) -> Iterator[Finding]:
    """Report writable mountpoints."""
    storage = design.profile.storage
    for i, mountpoint in enumerate(storage.mountpoints if storage else ()):
        if not mountpoint.read_only:
            yield Finding(
                at=("storage", "mountpoints", i, "read_only"),
                message=f"jobs can create files on mountpoint `{mountpoint.name}`, but cannot modify or rename them",
                hint="write checkpoints to a Lustre file system that exports to S3, or set `read_only: true`",
            )
