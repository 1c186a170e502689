"""Lines of a plan about a file system's settings, and about buckets that pods mount."""

from __future__ import annotations

from config.design.report.settings import (
    BackupReport,
    ExistingReport,
    MountpointReport,
    ReadCacheReport,
    RootSquashReport,
)
from config.design.report.storage import FileSystemReport
from scripts.cli.plan.document import Writer, amount


def write_settings(out: Writer, system: FileSystemReport) -> None:
    """Write one line for each setting of a Lustre file system."""
    if system.existing:
        out.fact("existing", existing(system.existing))
    if system.read_cache:
        out.fact("read cache", _cache(system.read_cache))
    if system.root_squash:
        out.fact("root squash", _squashed(system.root_squash))
    if system.backups:
        out.fact("backups", backups(system.backups))


def existing(ids: ExistingReport) -> str:
    """Return the ids of an existing file system as text.

    Example: `fs-0123456789abcdef0, mount name abcdefgh, security group sg-0123456789abcdef0`.
    """
    mount = [f"mount name {ids.mount_name}"] if ids.mount_name else []
    return ", ".join([ids.file_system_id, *mount, f"security group {ids.security_group_id}"])


def backups(daily: BackupReport) -> str:
    """Return the schedule of daily backups as text: `daily at 05:00 UTC, retained for 7 days`."""
    return f"daily at {daily.daily_start} UTC, retained for {amount(daily.retention_days, 'day')}"


def mountpoint(volume: MountpointReport) -> str:
    """Return the settings of a bucket that pods mount as text.

    Example: `volume datasets: s3://my-data/, read-only, 100 GiB cache on each node`.
    """
    bucket = "the directory bucket" if volume.bucket == "new" else f"s3://{volume.bucket}"
    prefix = f"/{volume.prefix}" if volume.prefix else ""
    ways = "read-only" if volume.read_only else "read-write"
    cache = f"{volume.cache_gib:,} GiB cache on each node" if volume.cache_gib else "without a cache"
    return f"volume {volume.name}: {bucket}{prefix}, {ways}, {cache}"


def _cache(cache: ReadCacheReport) -> str:
    if cache.sizing == "none":
        return "not configured"
    if cache.size_gib is not None:
        return f"{cache.size_gib:,} GiB of SSD"
    return "SSD, sized in proportion to the throughput"


def _squashed(squash: RootSquashReport) -> str:
    clients = f", except from {', '.join(squash.except_clients)}" if squash.except_clients else ""
    return f"the root user of a client has UID {squash.uid} and GID {squash.gid}{clients}"
