"""The catalogue page's sections about FSx for OpenZFS and S3 Express One Zone."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.catalog.storage.openzfs import NfsPorts, OpenZfsDeployment, OpenZfsSpeed
from scripts.tools.docs.markdown import number, table

_TYPES = ("deployment type", "file servers", "zones", "MB/s", "most IOPS")
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
    """What home directories can stand on."""
    facts = catalog().openzfs
    yield "## OpenZFS"
    yield (
        f"A file system holds {facts.min_gib} to {facts.max_gib} GiB. Capacity only grows, by "
        f"{facts.least_growth_percent} % at least and {facts.hours_between_increases} hours apart. AUTOMATIC "
        f"mode gives {facts.iops_per_gib} IOPS for each GiB. Backups stay {facts.backup_days_default} days "
        f"unless stated, {facts.backup_days_max} at most; deletion leaves a final backup, and "
        f"CloudFormation cannot skip it."
    )
    yield table(_TYPES, (_type(row) for row in facts.deployments.values()))
    yield "By throughput capacity, which is what the disks deliver, in one zone: types of `_1`, then of `_2`."
    speeds = (speed for name in _SPEED_TABLES for speed in facts.deployments[name].speeds.values())
    yield table(_SPEEDS, map(_speed, speeds))
    yield (
        f"Clients reach {'; '.join(map(_port, facts.ports))}. In a Region an account has "
        f"{facts.quota_file_systems} file systems, {facts.quota_gib} GiB, {facts.quota_throughput_mbps} MB/s "
        f"and {facts.quota_iops} IOPS unless AWS raises it."
    )
    yield "Deployment types of the Regions that were read whole; what another Region offers is not refused:"
    yield table(
        ("Region", "deployment types"),
        ((name, ", ".join(facts.regions[name])) for name in sorted(facts.regions)),
    )


def s3_express() -> Iterator[str]:
    """Where directory buckets are."""
    facts = catalog().s3_express
    yield "## S3 Express One Zone"
    suffix = facts.name_suffix.format(zone_id="ZONE-ID")
    yield (
        f"A directory bucket stands in one of these zones; its name ends in `{suffix}` and has "
        f"{facts.max_name_length} characters at most. It serves up to {facts.reads_per_s} reads and "
        f"{facts.writes_per_s} writes a second. None of the zones is a Local Zone."
    )
    yield table(
        ("Region", "zone ids"), ((name, ", ".join(facts.zones[name])) for name in sorted(facts.zones))
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
