"""Sections of the catalogue page about FSx for OpenZFS and S3 Express One Zone."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.catalog.storage.openzfs import NfsPorts, OpenZfsDeployment, OpenZfsSpeed
from scripts.tools.docs.markdown import number, table

_TYPES = ("deployment type", "file servers", "zones", "MB/s", "maximum IOPS")
_SPEEDS = (
    "MB/s",
    "network MB/s",
    "burst",
    "disk burst",
    "disk IOPS",
    "IOPS burst",
    "memory GB",
    "connections",
)
_SPEED_TABLES = ("SINGLE_AZ_HA_1", "SINGLE_AZ_HA_2")


def openzfs() -> Iterator[str]:
    """Yield the section about FSx for OpenZFS."""
    facts = catalog().openzfs
    yield "## OpenZFS"
    yield (
        f"The capacity of a file system is {facts.min_gib} to {facts.max_gib} GiB. You can only increase "
        f"it, by at least {facts.least_growth_percent} % and once in {facts.hours_between_increases} hours. "
        f"AUTOMATIC mode provides {facts.iops_per_gib} IOPS per GiB. Backups are retained for "
        f"{facts.backup_days_default} days by default, {facts.backup_days_max} days at most. FSx creates a "
        "final backup at deletion, which CloudFormation cannot skip."
    )
    yield table(_TYPES, (_type(row) for row in facts.deployments.values()))
    yield "Rates of single-AZ types by throughput capacity (the disk baseline): first `_1`, then `_2` types."
    speeds = (speed for name in _SPEED_TABLES for speed in facts.deployments[name].speeds.values())
    yield table(_SPEEDS, map(_speed, speeds))
    yield (
        f"Clients use {'; '.join(map(_port, facts.ports))}. The default quotas per account and Region are "
        f"{facts.quota_file_systems} file systems, {facts.quota_gib} GiB, {facts.quota_throughput_mbps} MB/s "
        f"and {facts.quota_iops} IOPS."
    )
    yield "Deployment types by Region. The rules do not reject types in Regions that are not listed:"
    yield table(
        ("Region", "deployment types"),
        ((name, ", ".join(facts.regions[name])) for name in sorted(facts.regions)),
    )


def s3_express() -> Iterator[str]:
    """Yield the section about S3 Express One Zone."""
    facts = catalog().s3_express
    yield "## S3 Express One Zone"
    suffix = facts.name_suffix.format(zone_id="ZONE-ID")
    yield (
        f"Directory buckets are available in these zones. A bucket name ends in `{suffix}` and has "
        f"at most {facts.max_name_length} characters. A bucket serves up to {facts.reads_per_s} reads and "
        f"{facts.writes_per_s} writes per second. The zones are not Local Zones."
    )
    yield table(
        ("Region", "zone IDs"), ((name, ", ".join(facts.zones[name])) for name in sorted(facts.zones))
    )


def _type(row: OpenZfsDeployment) -> tuple[object, ...]:
    least, most = row.throughputs_mbps[0], row.throughputs_mbps[-1]
    return f"`{row.deployment_type}`", row.file_servers, row.zones, f"{least} to {most}", row.max_iops


def _speed(row: OpenZfsSpeed) -> tuple[object, ...]:
    return (
        row.throughput_mbps,
        row.network_baseline_mbps,
        number(row.network_burst_mbps),
        number(row.disk_burst_mbps),
        row.disk_iops,
        number(row.disk_iops_burst),
        row.memory_gb,
        row.client_connections,
    )


def _port(row: NfsPorts) -> str:
    ports = str(row.first) if row.first == row.last else f"{row.first}-{row.last}"
    return f"{' and '.join(row.protocols).upper().replace(' AND ', ' and ')} {ports} ({row.what})"
