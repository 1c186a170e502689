"""Storage that a ParallelCluster file can have: what it makes, what it mounts by id, and what it cannot have."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.model import Design
from config.design.report.parallelcluster import limits
from config.design.report.parallelcluster.storage import made, unmade
from config.diagnostics import Path
from config.rules.parts import new_lustre
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule

_SHARED = "https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html"
_EFA_CLIENTS = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/configure-efa-clients.html"
_VALIDATORS = f"https://github.com/aws/aws-parallelcluster/tree/v{limits.VERSION}/cli/src/pcluster/validators"


@rule(
    "PCL020", WARNING, "a file system is one that ParallelCluster can make",
    why="FsxLustreSettings has no key for EFA, Intelligent-Tiering, root squash, metadata IOPS or logs, and makes no buckets "
    "and one file system of FSx at most. What it cannot make it mounts by id.",
    source=_SHARED, reads="storage", where="lustre",
)  # fmt: skip
def lustre_can_be_made(design: Design) -> Iterator[Finding]:
    """New file systems against the schema."""
    own = made(design)
    for at, lustre in new_lustre(design):
        reasons = list(unmade(lustre))
        for key, lacks in reasons:
            first = "name a bucket that exists, " if key[-1] == "bucket" else ""
            yield _by_id((*at, *key), f"ParallelCluster has {lacks}", first)
        if not reasons and own is not None and own[0] != at:
            yield _by_id(at, f"ParallelCluster makes {limits.MOST_NEW_LUSTRE} file system of FSx")


def _by_id(at: Path, why: str, first: str = "") -> Finding:
    return Finding(
        at=at,
        message=f"{why}: the file mounts this file system by its id",
        hint=f"{first}{'or ' if first else ''}deploy network and storage by themselves (`compute: null`, "
        "`orchestrator: null`) and give `--file-system ID` and `--security-group ID`",
    )


@rule(
    "PCL021", WARNING, "clients reach a file system with EFA over EFA",
    why="ParallelCluster mounts Lustre over TCP: without LNet set up for EFA before the mount, a node gets a fraction of the "
    "throughput, and nothing says so.",
    source=_EFA_CLIENTS, reads="storage data", where="lustre lustre-efa data",
)  # fmt: skip
def lustre_is_reached_over_efa(design: Design) -> Iterator[Finding]:
    """File systems with EFA, the profile's own or its data profile's."""
    own = {lustre.name or "lustre": at for at, lustre in design.placed_lustre}
    for system in design.file_systems:
        if system.efa:
            at = own.get(system.name)
            yield Finding(
                at=(*at, "efa") if at else ("data",),
                message=f"{system.mount_path} has EFA, and nodes of ParallelCluster mount it over TCP",
                hint="set LNet up for EFA in a custom action at node start (CustomActions.OnNodeStart)",
            )


@rule(
    "PCL022", WARNING, "home directories are a volume that exists",
    why="ParallelCluster makes no OpenZFS file system, and mounts one by the id of a volume.",
    source=_SHARED, reads="storage", where="home",
)  # fmt: skip
def home_exists(design: Design) -> Iterator[Finding]:
    """Home directories of any kind: a profile states no volume."""
    storage = design.profile.storage
    if storage is not None and storage.home is not None:
        yield Finding(
            at=("storage", "home"),
            message="ParallelCluster mounts home directories on OpenZFS by the id of their volume",
            hint="give `--home-volume ID`, the RootVolumeId of the file system",
        )


@rule(
    "PCL023", ERROR, "every tier of storage has a key",
    why="ParallelCluster mounts EBS, EFS, FSx and File Cache: a directory bucket or Mountpoint would be missing.",
    source=_SHARED, reads="storage", where="s3-express mountpoints",
)  # fmt: skip
def no_buckets_as_files(design: Design) -> Iterator[Finding]:
    """No directory bucket and no bucket as a volume."""
    storage = design.profile.storage
    if storage is None:
        return
    if storage.s3_express is not None:
        yield Finding(
            at=("storage", "s3_express"),
            message="ParallelCluster has no key for a directory bucket of S3 Express",
            hint="write `s3_express: null`, and make the bucket in a data profile",
        )
    if storage.mountpoints:
        yield Finding(
            at=("storage", "mountpoints"),
            message="ParallelCluster has no key for buckets as files",
            hint="write `mountpoints: null`",
        )


@rule(
    "PCL024", ERROR, "nothing is mounted where ParallelCluster has files of its own",
    why="SharedStorageMountDirValidator refuses directories of the system.",
    source=_VALIDATORS, reads="storage data",
)  # fmt: skip
def mount_paths_are_free(design: Design) -> Iterator[Finding]:
    """Mount paths of Lustre and of home directories."""
    places: list[tuple[Path, str]] = [
        ((*at, "mount_path"), one.mount_path) for at, one in design.placed_lustre
    ]
    storage = design.profile.storage
    if storage is not None and storage.home is not None:
        places.append((("storage", "home", "mount_path"), storage.home.mount_path))
    for at, path in places:
        if path.rstrip("/") in limits.TAKEN_PATHS:
            yield Finding(
                at=at,
                message=f"ParallelCluster refuses to mount anything at {path}",
                hint="mount it elsewhere, as at /fsx",
            )


@rule(
    "PCL025", NOTE, "containers find room on the local disks",
    why="ParallelCluster makes a striped volume of a node's disks at /scratch, and puts nothing there itself.",
    source=_SHARED, reads="storage compute", where="local-nvme",
)  # fmt: skip
def containers_are_moved_by_hand(design: Design) -> Iterator[Finding]:
    """Images and layers of containers."""
    local = design.profile.storage and design.profile.storage.local_nvme
    if local and local.containers and any(group.instance_type.local_nvme for group in design.groups):
        yield Finding(
            at=("storage", "local_nvme"),
            message="the disks are one volume at /scratch; containers stay on the root volume",
            hint="point docker and enroot there in a custom action, or write `local_nvme: {raid: 0, containers: false}`",
        )
