"""All storage tiers except Lustre, and the quotas of all tiers, as a plan shows them."""

from __future__ import annotations

from dataclasses import dataclass

from config.catalog import catalog
from config.design.model import Design
from config.design.report.settings import BackupReport, ExistingReport, backups_of, existing_of
from config.design.storage.lustre import LustrePlan
from config.records import copied


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeReport:
    """Home directories: capacity in GiB and total throughput in MB/s; None for an existing file system.

    Data in the server's memory or cache is read at the network rate, other data at the disk rate.
    """

    mount_path: str
    existing: ExistingReport | None
    backups: BackupReport | None
    users: int | None
    deployment: str | None
    capacity_gib: int | None
    disk_mbps: float | None
    disk_burst_mbps: float | None
    network_mbps: float | None
    network_burst_mbps: float | None
    addresses: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskReport:
    """Local NVMe disks of a group, in GB; no source lists their throughput."""

    group: str
    nodes: int
    gb_each: int
    gb_all: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketReport:
    """S3 buckets, with the minimum request rate: of each prefix, or of a whole directory bucket."""

    kind: str
    buckets: int
    writes_per_s: int
    reads_per_s: int
    of_each: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaReport:
    """An account quota in the Region: the amount that the profile needs, and the default."""

    what: str
    needed: float
    default: float
    unit: str


def home_of(design: Design) -> HomeReport | None:
    """Return the home directories of a design; None if the profile declares none."""
    home = design.home
    if home is None:
        return None
    deployment, mbps = home.deployment, home.throughput_mbps
    speed = deployment.speeds[mbps] if deployment and mbps else None
    return copied(
        HomeReport,
        home,
        existing=existing_of(home.existing),
        backups=backups_of(home.backups),
        deployment=deployment.deployment_type.lower().replace("_", "-") if deployment else None,
        disk_mbps=speed.throughput_mbps if speed else None,
        disk_burst_mbps=speed.disk_burst_mbps if speed else None,
        network_mbps=speed.network_baseline_mbps if speed else None,
        network_burst_mbps=speed.network_burst_mbps if speed else None,
    )


def disks_of(design: Design) -> tuple[DiskReport, ...]:
    """Return the local disks of each group; empty if the profile does not use them."""
    storage = design.profile.storage
    if storage is None or storage.local_nvme is None:
        return ()
    found = [(group, group.instance_type.local_nvme) for group in design.groups]
    return tuple(
        DiskReport(group=group.name, nodes=group.count, gb_each=disks.gb, gb_all=group.count * disks.gb)
        for group, disks in found
        if disks
    )


def buckets_of(design: Design) -> tuple[BucketReport, ...]:
    """Return the buckets of data repository associations, and the directory bucket."""
    links = {
        link.bucket or (system.name, link.name)  # a new bucket belongs to one file system
        for system in design.file_systems
        for link in system.repositories
    }
    general, directory = catalog().checkpoints.s3, catalog().s3_express
    rates = general.writes_per_prefix, general.reads_per_prefix
    express = directory.default_writes_per_s, directory.default_reads_per_s
    kinds = (
        ("general purpose", len(links), *rates, "prefix"),
        ("directory", int(bool(design.express)), *express, "bucket"),
    )
    return tuple(
        BucketReport(kind=kind, buckets=count, writes_per_s=writes, reads_per_s=reads, of_each=each)
        for kind, count, writes, reads, each in kinds
        if count
    )


def quotas_of(design: Design) -> tuple[QuotaReport, ...]:
    """Return the quotas that the profile's new file systems use."""
    needed: dict[str, list[LustrePlan]] = {}
    for system in design.own_file_systems:
        if system.existing is None:
            elastic = "Intelligent-Tiering throughput"
            needed.setdefault(elastic if system.elastic else _quota_of(system), []).append(system)
    return (*(_quota(what, systems) for what, systems in needed.items()), *_home_quotas(design))


def _home_quotas(design: Design) -> tuple[QuotaReport, ...]:
    home, facts = design.home, catalog().openzfs
    if home is None or home.existing or not design.owns_home:
        return ()
    gib, mbps = facts.account_quota_gib(design.profile.region), facts.quota_throughput_mbps
    return (
        QuotaReport(what="OpenZFS storage", needed=home.capacity_gib or 0, default=gib, unit="GiB"),
        QuotaReport(what="OpenZFS throughput", needed=home.throughput_mbps or 0, default=mbps, unit="MB/s"),
    )


def _quota_of(system: LustrePlan) -> str:
    medium = " HDD" if system.kind.storage == "hdd" else ""
    return f"{system.kind.deployment}{medium} storage"


def _quota(what: str, systems: list[LustrePlan]) -> QuotaReport:
    gib, mbps = systems[0].kind.quota_gib, catalog().lustre.tiering.quota_mbps
    if gib is None:
        throughput = sum(system.throughput_mbps for system in systems)
        return QuotaReport(what=what, needed=throughput, default=mbps, unit="MB/s")
    needed = sum(system.capacity_gib or 0 for system in systems)
    return QuotaReport(what=what, needed=needed, default=gib, unit="GiB")
