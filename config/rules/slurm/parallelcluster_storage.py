"""Rules for storage that ParallelCluster creates, mounts by id, or does not support."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.model import Design
from config.design.report.parallelcluster import limits
from config.design.report.parallelcluster.storage import created_file_system, creation_faults
from config.diagnostics import Path
from config.rules.parts import new_lustre
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule

_SHARED = "https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html"
_EFA_CLIENTS = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/configure-efa-clients.html"
_VALIDATORS = f"https://github.com/aws/aws-parallelcluster/tree/v{limits.VERSION}/cli/src/pcluster/validators"


@rule(
    "PCL020", WARNING, "ParallelCluster can create the file system",
    why="FsxLustreSettings has no key for EFA, Intelligent-Tiering, root squash, metadata IOPS or logs. ParallelCluster does not "
    "create buckets, and creates at most one FSx file system. ParallelCluster mounts all other file systems by their id.",
    source=_SHARED, reads="storage", where="lustre",
)  # fmt: skip
def lustre_can_be_created(design: Design) -> Iterator[Finding]:
    """Check new file systems against ParallelCluster's schema."""
    own = created_file_system(design)
    for at, lustre in new_lustre(design):
        reasons = list(creation_faults(lustre))
        for key, lacks in reasons:
            first = "use an existing bucket, " if key[-1] == "bucket" else ""
            yield _by_id((*at, *key), f"ParallelCluster has {lacks}", first)
        if not reasons and own is not None and own[0] != at:
            yield _by_id(at, f"ParallelCluster creates at most {limits.MAX_NEW_LUSTRE} FSx file system")


def _by_id(at: Path, why: str, first: str = "") -> Finding:
    return Finding(
        at=at,
        message=f"{why}, so the configuration mounts this file system by its id",
        hint=f"{first}{'or ' if first else ''}deploy network and storage in a separate profile (`compute: null`, "
        "`orchestrator: null`) and pass `--file-system ID` and `--security-group ID`",
    )


@rule(
    "PCL021", WARNING, "nodes use EFA to reach a file system with EFA",
    why="ParallelCluster mounts Lustre over TCP. Unless LNet is configured for EFA before the mount, a node gets a fraction of the "
    "throughput, without an error.",
    source=_EFA_CLIENTS, reads="storage data", where="lustre lustre-efa data",
)  # fmt: skip
def lustre_is_reached_over_efa(design: Design) -> Iterator[Finding]:
    """Report file systems with EFA, in the profile or its data profile."""
    own = {lustre.name or "lustre": at for at, lustre in design.placed_lustre}
    for system in design.file_systems:
        if system.efa:
            at = own.get(system.name)
            yield Finding(
                at=(*at, "efa") if at else ("data",),
                message=f"the file system at {system.mount_path} has EFA, but ParallelCluster's nodes mount it over TCP",
                hint="configure LNet for EFA in a custom action at node start (CustomActions.OnNodeStart)",
            )


@rule(
    "PCL022", WARNING, "home directories are on an OpenZFS volume that already exists",
    why="ParallelCluster does not create OpenZFS file systems, but can mount an existing volume by its id.",
    source=_SHARED, reads="storage", where="home",
)  # fmt: skip
def home_exists(design: Design) -> Iterator[Finding]:
    """Report `storage.home`: ParallelCluster needs a volume id, which a profile does not contain."""
    storage = design.profile.storage
    if storage is not None and storage.home is not None:
        yield Finding(
            at=("storage", "home"),
            message="ParallelCluster cannot create the OpenZFS file system for home directories, but can mount its volume by id",
            hint="pass `--home-volume ID` with the RootVolumeId of the file system",
        )


@rule(
    "PCL023", ERROR, "ParallelCluster can mount each storage tier",
    why="ParallelCluster mounts EBS, EFS, FSx and File Cache, but not directory buckets or Mountpoint for Amazon S3.",
    source=_SHARED, reads="storage", where="s3-express mountpoints",
)  # fmt: skip
def no_buckets_as_files(design: Design) -> Iterator[Finding]:
    """Report directory buckets and Mountpoint for Amazon S3."""
    storage = design.profile.storage
    if storage is None:
        return
    if storage.s3_express is not None:
        yield Finding(
            at=("storage", "s3_express"),
            message="ParallelCluster has no key for an S3 Express directory bucket",
            hint="set `s3_express: null`, and create the bucket in a data profile",
        )
    if storage.mountpoints:
        yield Finding(
            at=("storage", "mountpoints"),
            message="ParallelCluster has no key for Mountpoint for Amazon S3",
            hint="set `mountpoints: null`",
        )


@rule(
    "PCL024", ERROR, "mount paths are not directories of the operating system",
    why="SharedStorageMountDirValidator rejects directories of the operating system.",
    source=_VALIDATORS, reads="storage data",
)  # fmt: skip
def mount_paths_are_free(design: Design) -> Iterator[Finding]:
    """Check the mount paths of Lustre and of home directories."""
    places: list[tuple[Path, str]] = [
        ((*at, "mount_path"), one.mount_path) for at, one in design.placed_lustre
    ]
    storage = design.profile.storage
    if storage is not None and storage.home is not None:
        places.append((("storage", "home", "mount_path"), storage.home.mount_path))
    for at, path in places:
        if path.rstrip("/") in limits.RESERVED_PATHS:
            yield Finding(
                at=at,
                message=f"ParallelCluster does not mount file systems at {path}",
                hint="use another path, for example /fsx",
            )


@rule(
    "PCL025", NOTE, "containers are on the local disks",
    why="ParallelCluster creates a striped volume from a node's local disks at /scratch, and does not put containers on it.",
    source=_SHARED, reads="storage compute", where="local-nvme",
)  # fmt: skip
def containers_are_on_local_disks(design: Design) -> Iterator[Finding]:
    """Report `containers` and `layers` that the profile stores on local disks."""
    local = design.profile.storage and design.profile.storage.local_nvme
    if local and local.containers and any(group.instance_type.local_nvme for group in design.groups):
        yield Finding(
            at=("storage", "local_nvme"),
            message="ParallelCluster uses the local disks as one volume at /scratch, but stores containers on the root volume",
            hint="move docker and enroot to /scratch in a custom action, or set `local_nvme: {raid: 0, containers: false}`",
        )
