"""The storage report of a plan: throughput, addresses and capacity of each tier, and the checkpoints."""

from __future__ import annotations

from dataclasses import dataclass

from config.catalog import catalog
from config.design.model import Design
from config.design.nodes.file_system_clients import Clients, clients_of
from config.design.report.checkpoints import CheckpointReport, checkpoint_report
from config.design.report.settings import (
    BackupReport,
    ExistingReport,
    MountpointReport,
    ReadCacheReport,
    RootSquashReport,
    backups_of,
    existing_of,
    mountpoints_of,
    read_cache_of,
    root_squash_of,
)
from config.design.report.tiers import (
    BucketReport,
    DiskReport,
    HomeReport,
    QuotaReport,
    buckets_of,
    disks_of,
    home_of,
    quotas_of,
)
from config.design.storage.bandwidth import MBPS_PER_GBPS
from config.design.storage.bucket_access import BucketAccess, bucket_access
from config.design.storage.file_system_rates import rates_of
from config.design.storage.lustre import LustrePlan
from config.design.storage.repositories import RepositoryPlan
from config.design.workload.experts import Experts, plan_experts
from config.profile.storage.lustre import NewLustre
from config.records import copied


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientReport:
    """The nodes of a group as clients of a file system: Gbps of one node, MB/s of all nodes.

    `over` is `ena`, `efa` or `efa-gds`. `gpudirect_gbps` is None if GPUDirect Storage is not available.
    `without_efa_gbps` is the speed of an EFA client that falls back to TCP.
    """

    group: str
    nodes: int
    over: str
    gbps: float
    gpudirect_gbps: float | None
    without_efa_gbps: float | None
    write_mbps: float
    read_mbps: float
    efa_connections: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryReport:
    """A data repository association, which links a directory to a bucket's prefix; `bucket` may be `new`.

    `listed` is how the metadata of existing objects is imported: `at creation`, `by a task`, or None.
    """

    path: str
    bucket: str
    prefix: str
    imports: tuple[str, ...]
    exports: tuple[str, ...]
    listed: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSystemReport:
    """A Lustre file system: capacity in GiB, total throughput in MB/s; None if no source lists the value."""

    name: str
    kind: str
    mount_path: str
    capacity_gib: int | None
    throughput_mbps_per_tib: int | None
    write_mbps: float
    read_mbps: float
    write_burst_mbps: float | None
    read_burst_mbps: float | None
    network_mbps: float | None
    network_burst_mbps: float | None
    efa: bool
    efa_connections: int
    efa_connections_most: int | None
    object_servers: int
    metadata_servers: int
    metadata_iops: int | None
    metadata_automatic: bool
    addresses: int
    existing: ExistingReport | None
    root_squash: RootSquashReport | None
    backups: BackupReport | None
    read_cache: ReadCacheReport | None
    data_repositories: tuple[RepositoryReport, ...]
    clients: tuple[ClientReport, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageReport:
    """Every storage tier, the access that existing buckets must grant, and the needs of the workload."""

    file_systems: tuple[FileSystemReport, ...]
    home: HomeReport | None
    local_nvme: tuple[DiskReport, ...]
    buckets: tuple[BucketReport, ...]
    mountpoints: tuple[MountpointReport, ...]
    bucket_access: tuple[BucketAccess, ...]
    quotas: tuple[QuotaReport, ...]
    checkpoint: CheckpointReport | None
    experts: Experts | None


def storage_report(design: Design) -> StorageReport | None:
    """Return the storage of a design; None for a profile without storage."""
    checkpoint = design.checkpoints
    systems = design.file_systems
    found = StorageReport(
        file_systems=tuple(_file_system(system, design) for system in systems),
        home=home_of(design),
        local_nvme=disks_of(design),
        buckets=buckets_of(design),
        mountpoints=mountpoints_of(design.mountpoints),
        bucket_access=tuple(
            access
            for _, lustre in design.placed_lustre
            if isinstance(lustre, NewLustre)
            for access in bucket_access(design.profile, lustre)
        ),
        quotas=quotas_of(design),
        checkpoint=checkpoint_report(checkpoint) if checkpoint else None,
        experts=plan_experts(design.profile.workload, design.groups),
    )
    parts = (
        found.file_systems,
        found.home,
        found.local_nvme,
        found.buckets,
        found.mountpoints,
        found.experts,
    )
    return found if any(parts) else None


def _file_system(lustre: LustrePlan, design: Design) -> FileSystemReport:
    rates = rates_of(lustre)
    clients = clients_of(lustre, rates, design.groups)
    return copied(
        FileSystemReport,
        lustre,
        kind=lustre.kind.name,
        write_mbps=round(rates.write, 1),
        read_mbps=round(rates.read, 1),
        write_burst_mbps=_rounded(rates.disk_burst_write),
        read_burst_mbps=_rounded(rates.disk_burst_read),
        network_mbps=_rounded(rates.network),
        network_burst_mbps=_rounded(rates.network_burst),
        efa_connections=sum(client.connections for client in clients),
        efa_connections_most=catalog().lustre.max_efa_connections if lustre.efa else None,
        existing=existing_of(lustre.existing),
        root_squash=root_squash_of(lustre),
        backups=backups_of(lustre.settings.backups if lustre.settings else None),
        read_cache=read_cache_of(lustre),
        data_repositories=tuple(_repository(link) for link in lustre.repositories),
        clients=tuple(_client(client) for client in clients),
    )


def _repository(link: RepositoryPlan) -> RepositoryReport:
    return RepositoryReport(
        path=link.path,
        bucket=link.bucket or "new",
        prefix=link.prefix,
        imports=link.import_events,
        exports=link.export_events,
        listed="at creation"
        if link.import_metadata_on_create
        else ("by a task" if link.import_by_task else None),
    )


def _client(client: Clients) -> ClientReport:
    return copied(
        ClientReport,
        client,
        gbps=round(client.mbps / MBPS_PER_GBPS, 2),
        gpudirect_gbps=_rounded(client.gpudirect_mbps, MBPS_PER_GBPS),
        without_efa_gbps=_rounded(client.without_efa_mbps, MBPS_PER_GBPS),
        write_mbps=round(client.write_mbps, 1),
        read_mbps=round(client.read_mbps, 1),
        efa_connections=client.connections,
    )


def _rounded(figure: float | None, of: float = 1) -> float | None:
    return None if figure is None else round(figure / of, 1)
