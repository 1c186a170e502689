"""How a plan tells what a file system is made with, and which buckets pods see as files."""

from __future__ import annotations

from config.design.report.settings import (
    BackupReport,
    ExistingReport,
    MountpointReport,
    ReadCacheReport,
    RootSquashReport,
)
from config.design.report.storage import FileSystemReport
from scripts.cli.plan.document import Writer


def write_settings(out: Writer, system: FileSystemReport) -> None:
    """What a Lustre file system is made with, a line for each setting that it has."""
    if system.existing:
        out.fact("exists", existing(system.existing))
    if system.read_cache:
        out.fact("cache", _cache(system.read_cache))
    if system.root_squash:
        out.fact("root", _squashed(system.root_squash))
    if system.backups:
        out.fact("backups", backups(system.backups))


def existing(ids: ExistingReport) -> str:
    """`fs-0123456789abcdef0, mount name abcdefgh, security group sg-0123456789abcdef0`."""
    mount = [f"mount name {ids.mount_name}"] if ids.mount_name else []
    return ", ".join([ids.file_system_id, *mount, f"security group {ids.security_group_id}"])


def backups(daily: BackupReport) -> str:
    """`daily at 05:00 UTC, each kept for 7 days`."""
    days = "1 day" if daily.retention_days == 1 else f"{daily.retention_days} days"
    return f"daily at {daily.daily_start} UTC, each kept for {days}"


def mountpoint(volume: MountpointReport) -> str:
    """`volume datasets: s3://my-data/, read only, 100 GiB of cache on a node`."""
    bucket = "the directory bucket" if volume.bucket == "new" else f"s3://{volume.bucket}"
    prefix = f"/{volume.prefix}" if volume.prefix else ""
    ways = "read only" if volume.read_only else "read and written"
    cache = f"{volume.cache_gib:,} GiB of cache on a node" if volume.cache_gib else "no cache"
    return f"volume {volume.name}: {bucket}{prefix}, {ways}, {cache}"


def _cache(cache: ReadCacheReport) -> str:
    if cache.sizing == "none":
        return "no read cache on SSD"
    if cache.size_gib is not None:
        return f"{cache.size_gib:,} GiB of read cache on SSD"
    return "a read cache on SSD that grows with the throughput"


def _squashed(squash: RootSquashReport) -> str:
    clients = f", except on {', '.join(squash.except_clients)}" if squash.except_clients else ""
    return f"root of a client is {squash.uid}:{squash.gid} there{clients}"
