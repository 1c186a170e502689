"""What a file system is made with, and the buckets that pods see as files, as a plan shows them."""

from __future__ import annotations

from dataclasses import dataclass

from config.design.storage.lustre import ExistingFileSystem, LustrePlan
from config.design.storage.object_storage import MountpointPlan
from config.profile.storage.lustre import Backups
from config.records import copied


@dataclass(frozen=True, slots=True, kw_only=True)
class ExistingReport:
    """The ids of a file system that exists. `mount_name` is None of OpenZFS, which has none."""

    file_system_id: str
    mount_name: str | None
    security_group_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RootSquashReport:
    """What root of a client is on the file system, and the clients on which it stays root."""

    uid: int
    gid: int
    except_clients: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupReport:
    """Daily backups: when they start in UTC, and for how many days one is kept."""

    daily_start: str
    retention_days: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadCacheReport:
    """The SSD read cache of an Intelligent-Tiering file system. GiB where the profile states its size."""

    sizing: str
    size_gib: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MountpointReport:
    """A bucket as a volume of pods (Mountpoint for Amazon S3); `bucket` is `new` for the directory bucket."""

    name: str
    bucket: str
    prefix: str
    read_only: bool
    cache_gib: int


def existing_of(existing: ExistingFileSystem | None) -> ExistingReport | None:
    """The ids of a file system that exists; None of a new one."""
    if existing is None:
        return None
    return copied(ExistingReport, existing, mount_name=existing.mount_name or None)


def root_squash_of(lustre: LustrePlan) -> RootSquashReport | None:
    """Root squash of a file system; None where root stays root."""
    squash = lustre.settings.root_squash if lustre.settings else None
    if squash is None:
        return None
    return copied(RootSquashReport, squash, except_clients=tuple(squash.except_clients))


def backups_of(backups: Backups | None) -> BackupReport | None:
    """Daily backups; None without."""
    return copied(BackupReport, backups) if backups else None


def read_cache_of(lustre: LustrePlan) -> ReadCacheReport | None:
    """The read cache of a file system; None for kinds that have none."""
    cache = lustre.settings.read_cache if lustre.settings else None
    return copied(ReadCacheReport, cache) if cache else None


def mountpoints_of(mountpoints: tuple[MountpointPlan, ...]) -> tuple[MountpointReport, ...]:
    """The buckets that pods see as files."""
    return tuple(copied(MountpointReport, one, bucket=one.bucket or "new") for one in mountpoints)
