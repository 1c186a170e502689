"""The settings of a file system and the buckets that pods mount, as a plan shows them."""

from __future__ import annotations

from dataclasses import dataclass

from config.design.storage.lustre import ExistingFileSystem, LustrePlan
from config.design.storage.object_storage import MountpointPlan
from config.profile.storage.lustre import Backups
from config.records import copied


@dataclass(frozen=True, slots=True, kw_only=True)
class ExistingReport:
    """The ids of an existing file system; `mount_name` is None for OpenZFS, which has no mount names."""

    file_system_id: str
    mount_name: str | None
    security_group_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RootSquashReport:
    """Root squash: the UID and GID of a client's root user, and the clients that are exempt."""

    uid: int
    gid: int
    except_clients: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupReport:
    """Daily backups: their start time in UTC, and their retention in days."""

    daily_start: str
    retention_days: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadCacheReport:
    """The SSD read cache of an Intelligent-Tiering file system; `size_gib` is None if not set."""

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
    """Return the ids of an existing file system; None for a new one."""
    if existing is None:
        return None
    return copied(ExistingReport, existing, mount_name=existing.mount_name or None)


def root_squash_of(lustre: LustrePlan) -> RootSquashReport | None:
    """Return the root squash settings of a file system; None if it has none."""
    squash = lustre.settings.root_squash if lustre.settings else None
    if squash is None:
        return None
    return copied(RootSquashReport, squash, except_clients=tuple(squash.except_clients))


def backups_of(backups: Backups | None) -> BackupReport | None:
    """Return the daily backups; None without backups."""
    return copied(BackupReport, backups) if backups else None


def read_cache_of(lustre: LustrePlan) -> ReadCacheReport | None:
    """Return the read cache of a file system; None for types without a read cache."""
    cache = lustre.settings.read_cache if lustre.settings else None
    return copied(ReadCacheReport, cache) if cache else None


def mountpoints_of(mountpoints: tuple[MountpointPlan, ...]) -> tuple[MountpointReport, ...]:
    """Return the buckets that pods mount as volumes."""
    return tuple(copied(MountpointReport, one, bucket=one.bucket or "new") for one in mountpoints)
