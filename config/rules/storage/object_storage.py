"""Directory buckets where there are any, and buckets as volumes where a driver mounts them."""

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
    "EXB001", ERROR, "a directory bucket goes by the id of its zone",
    why="Its name ends in the zone's id, which a zone's name does not tell: names differ from account to account.",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/directory-bucket-naming-rules.html",
    reads="storage region availability_zone availability_zone_id",
    where="s3-express",
)  # fmt: skip
def zone_is_stated_by_id(design: Design) -> Iterator[Finding]:
    """How the cluster's zone is stated."""
    zone = design.profile.zone
    if _has_express(design) and zone and not is_zone_id(zone):
        yield Finding(
            at=_AT,
            message=f"a directory bucket goes by the id of its zone, and {zone} is a name",
            hint=f"write `availability_zone_id`; {_where(design)}",
        )


@rule(
    "EXB002", ERROR, "a directory bucket stands in a zone that has them",
    why="S3 Express One Zone is in some zones of some Regions, and pays only beside the machines that read it.",
    source=_ZONES, reads="storage region availability_zone availability_zone_id",
    ages="the zones of S3 Express One Zone",
    where="s3-express",
)  # fmt: skip
def zone_has_directory_buckets(design: Design) -> Iterator[Finding]:
    """The cluster's zone, by its id."""
    zone = design.profile.zone
    if _has_express(design) and is_zone_id(zone) and not catalog().s3_express.offered(zone):
        yield Finding(
            at=_AT,
            message=f"{zone} has no directory buckets",
            hint=f"{_without_its_volumes(design)}write `s3_express: null`; {_where(design)}",
        )


def _without_its_volumes(design: Design) -> str:
    """What goes with a directory bucket: volumes that name it."""
    stated = design.profile.storage.mountpoints if design.profile.storage else ()
    names = [mountpoint.name for mountpoint in stated if mountpoint.bucket == EXPRESS]
    return f"name a `bucket` that exists for {', '.join(names)}, and " if names else ""


def _has_express(design: Design) -> bool:
    storage = design.profile.storage
    return storage is not None and storage.s3_express is not None


def _where(design: Design) -> str:
    region = design.profile.region
    offered = catalog().s3_express.zones_of(region)
    return f"{region} has them in {either(offered)}" if offered else f"{region} has none"


@rule(
    "EXB003", NOTE, "the network of a directory bucket has the gateway endpoint of S3 Express",
    why="Without one, requests to a directory bucket go through the NAT gateway, which is billed and slower.",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-express-networking.html",
    reads="storage network data",
    where="s3-express",
)  # fmt: skip
def the_network_has_the_endpoint(design: Design) -> Iterator[Finding]:
    """A directory bucket beside a network that is not made with it."""
    network, data = design.profile.network, design.data_profile
    if not _has_express(design):
        return
    if network and network.kind == "existing":
        yield Finding(
            at=_AT,
            message="whether the network has a gateway endpoint for directory buckets cannot be checked offline",
            hint=f"it needs one for com.amazonaws.{design.profile.region}.{catalog().s3_express.endpoint}",
        )
    elif network is None and data and not (design.network and design.network.s3_express_endpoint):
        yield Finding(
            at=_AT,
            message=f"the network of {data.name} has no gateway endpoint for directory buckets",
            hint=f"state `s3_express` in {data.name}, which makes the bucket and the endpoint",
        )


@rule(
    "MNT001", ERROR, "buckets are volumes where Kubernetes mounts them",
    why="Mountpoint for S3 comes as a driver of EKS; under Slurm nothing of AWS's mounts and unmounts a bucket for a job.",
    source=_MOUNTPOINT, reads="storage orchestrator",
    where="mountpoints",
)  # fmt: skip
def mountpoints_have_a_driver(design: Design) -> Iterator[Finding]:
    """The control plane of a profile with mountpoints."""
    profile = design.profile
    stated = profile.storage.mountpoints if profile.storage else ()
    kind = profile.orchestrator.kind if profile.orchestrator else None
    if stated and kind is not None and kind not in ("eks", "hyperpod-eks"):
        yield Finding(
            at=("storage", "mountpoints"),
            message=f"{kind} has no driver that mounts buckets ({', '.join(m.name for m in stated)})",
            hint="write `mountpoints: []`, and link the bucket as a data repository of Lustre",
        )


@rule(
    "MNT002", ERROR, "a mountpoint names a bucket, and itself once",
    why="A volume without its bucket keeps pods waiting, and two volumes of one name are one.",
    source=_MOUNTPOINT, reads="storage data region availability_zone availability_zone_id",
    where="mountpoints",
)  # fmt: skip
def mountpoints_name_their_buckets(design: Design) -> Iterator[Finding]:
    """Bucket and name of each mountpoint."""
    storage, data = design.profile.storage, design.data_profile
    theirs = data is not None and data.storage is not None and data.storage.s3_express is not None
    seen: set[str] = set()
    for i, mountpoint in enumerate(storage.mountpoints if storage else ()):
        at, bucket = ("storage", "mountpoints", i), mountpoint.bucket
        if bucket == EXPRESS and not theirs and not _has_express(design):
            yield Finding(
                at=(*at, "bucket"), message="the profile has no directory bucket", hint=_get_express(design)
            )
        elif bucket != EXPRESS and not is_bucket_name(bucket) and not is_directory_bucket(bucket):
            yield Finding(
                at=(*at, "bucket"),
                message=f"{bucket!r} is not the name of a bucket",
                hint=f"write `{EXPRESS}`, or the bucket's name alone",
            )
        if mountpoint.name in seen:
            yield Finding(
                at=(*at, "name"), message=f"the name {mountpoint.name} is taken", hint="give it another name"
            )
        seen.add(mountpoint.name)


def _get_express(design: Design) -> str:
    """How a volume gets its directory bucket: where the zone has none, another bucket."""
    zone, other = design.profile.zone, "write the name of a bucket that exists"
    if not is_zone_id(zone):
        return f"{other}, or `s3_express: {{}}` and the zone's `availability_zone_id`; {_where(design)}"
    if not catalog().s3_express.offered(zone):
        return f"{other}: {zone} has no directory buckets; {_where(design)}"
    return "write `s3_express: {}`, or the name of a bucket that exists"


@rule(
    "MNT003", NOTE, "what is written through a mountpoint is written once",
    why="Mountpoint writes new objects from the first byte to the last: it neither changes a file nor renames one, as "
    "saving a checkpoint in place does.",
    source=_SEMANTICS, reads="storage",
    where="mountpoints",
)  # fmt: skip
def writes_are_known_to_be_whole(design: Design) -> Iterator[Finding]:
    """Mountpoints that can be written."""
    storage = design.profile.storage
    for i, mountpoint in enumerate(storage.mountpoints if storage else ()):
        if not mountpoint.read_only:
            yield Finding(
                at=("storage", "mountpoints", i, "read_only"),
                message=f"files of {mountpoint.name} can be written once, not changed or renamed",
                hint="write checkpoints to Lustre, which exports them to S3",
            )
