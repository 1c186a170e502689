"""Limits and throughput of FSx for OpenZFS. Capacity in GiB, throughput in MB/s, as in the FSx API."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from types import MappingProxyType
from typing import Any, Literal

from config.catalog.files import Row, named, read_one
from config.catalog.hardware import Sourced, Sources

OpenZfsDeploymentType = Literal[
    "SINGLE_AZ_1", "SINGLE_AZ_2", "SINGLE_AZ_HA_1", "SINGLE_AZ_HA_2", "MULTI_AZ_1"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenZfsSpeed:
    """Rates of a file server at one throughput capacity.

    Plan with the baseline: ``throughput_mbps`` from disk. Bursts use credits; None means no burst.
    ``client_connections`` counts TCP connections: a client that mounts with ``nconnect`` uses several.
    """

    throughput_mbps: int
    network_baseline_mbps: int
    network_burst_mbps: int | None
    disk_burst_mbps: int | None
    disk_iops: int
    disk_iops_burst: int | None
    memory_gb: int
    nvme_cache_gb: int | None
    client_connections: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenZfsDeployment:
    """A deployment type: number of file servers and zones, and throughput capacities."""

    deployment_type: OpenZfsDeploymentType
    highly_available: bool
    file_servers: int
    zones: int
    speeds: Mapping[int, OpenZfsSpeed] = field(hash=False)
    sources: tuple[str, ...]

    @property
    def throughputs_mbps(self) -> tuple[int, ...]:
        """All valid values of ThroughputCapacity, in ascending order."""
        return tuple(self.speeds)

    @property
    def max_iops(self) -> int:
        """Maximum disk IOPS of the largest file server; more IOPS cannot be provisioned."""
        return max(speed.disk_iops for speed in self.speeds.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class CapacityCeiling:
    """Maximum GiB at each throughput capacity, for these deployment types in these Regions."""

    deployments: tuple[OpenZfsDeploymentType, ...]
    regions: tuple[str, ...]
    gib: Mapping[int, int] = field(hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class NfsPorts:
    """Ports that clients use, ``first`` to ``last``, over each of ``protocols``."""

    protocols: tuple[Literal["tcp", "udp"], ...]
    first: int
    last: int
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenZfs(Sourced):
    """FSx for OpenZFS on SSD.

    ``regions`` has the deployment types of each Region whose list is complete; for ``regions_partly_read``
    only ``types_everywhere`` are known. ``quota_gib`` is the quota per account and Region,
    ``quota_gib_by_region`` the larger quotas of some Regions. ``max_user_quotas`` are user and group quotas
    per volume. CloudFormation cannot skip the final backup of a deletion (``final_backup_on_delete``);
    ``delete_option`` also deletes child volumes.
    """

    deployments: Mapping[str, OpenZfsDeployment] = field(hash=False)
    regions: Mapping[str, tuple[OpenZfsDeploymentType, ...]] = field(hash=False)
    regions_partly_read: tuple[str, ...]
    types_everywhere: tuple[OpenZfsDeploymentType, ...]
    min_gib: int
    max_gib: int
    ceilings: tuple[CapacityCeiling, ...]
    least_growth_percent: int
    hours_between_increases: int
    iops_per_gib: int
    max_iops_per_gib: int
    backup_days_default: int
    backup_days_max: int
    final_backup_on_delete: bool
    delete_option: str
    quota_file_systems: int
    quota_gib: int
    quota_gib_by_region: Mapping[str, int] = field(hash=False)
    quota_throughput_mbps: int
    quota_iops: int
    max_volumes: int
    max_user_quotas: int
    max_snapshots: int
    compressions: tuple[str, ...]
    ports: tuple[NfsPorts, ...]
    root_path: str
    nfs_versions: tuple[str, ...]
    mount_nfs_version: str
    mount_timeo_deciseconds: int
    max_nconnect: int
    io_bytes: int
    io_bytes_small: Mapping[int, int] = field(hash=False)
    sources: Sources = field(hash=False)
    notes: tuple[str, ...] = ()

    def offered(self, region: str, deployment_type: OpenZfsDeploymentType) -> bool | None:
        """Return whether a Region offers a deployment type; None if it is not known."""
        if region in self.regions:
            return deployment_type in self.regions[region]
        known = region in self.regions_partly_read and deployment_type in self.types_everywhere
        return True if known else None

    def max_capacity_gib(
        self, deployment_type: OpenZfsDeploymentType, throughput_mbps: int, region: str
    ) -> int:
        """Return the maximum capacity of a file system in a Region."""
        found = (
            ceiling.gib[throughput_mbps]
            for ceiling in self.ceilings
            if deployment_type in ceiling.deployments
            and region in ceiling.regions
            and throughput_mbps in ceiling.gib
        )
        return min(found, default=self.max_gib)

    def automatic_iops(self, gib: int, deployment_type: OpenZfsDeploymentType) -> int:
        """Return the disk IOPS that AUTOMATIC mode provides; fewer IOPS cannot be provisioned."""
        return min(gib * self.iops_per_gib, self.deployments[deployment_type].max_iops)

    def account_quota_gib(self, region: str) -> int:
        """Return an account's default quota for SSD capacity in a Region."""
        return self.quota_gib_by_region.get(region, self.quota_gib)

    def mount_options(self, throughput_mbps: int) -> tuple[str, ...]:
        """Return the NFS options that AWS recommends; small file servers need smaller reads and writes."""
        size = self.io_bytes_small.get(throughput_mbps, self.io_bytes)
        version, timeo = self.mount_nfs_version, self.mount_timeo_deciseconds
        return f"nfsvers={version}", f"rsize={size}", f"wsize={size}", f"timeo={timeo}", "_netdev"


SECTIONS = ("capacity", "iops", "backups", "quotas", "volumes", "mounting")


@cache
def open_zfs() -> OpenZfs:
    """Return the facts; the file is read on the first call."""
    document = read_one("openzfs")
    flat = {name: value for section in SECTIONS for name, value in document[section].items()}
    own: dict[str, Any] = {
        "deployments": _deployments(document),
        "ceilings": tuple(
            CapacityCeiling(**{**row, "gib": _by_throughput(row["gib"])}) for row in document["ceilings"]
        ),
        "ports": tuple(NfsPorts(**row) for row in document["ports"]),
        "io_bytes_small": _by_throughput(flat["io_bytes_small"]),
    }
    rest = ("regions", "regions_partly_read", "types_everywhere", "sources", "notes")
    return OpenZfs(**{**flat, **{name: document[name] for name in rest}, **own})


def _by_throughput(row: Row) -> Mapping[int, int]:
    return MappingProxyType({int(mbps): value for mbps, value in row.items()})


def _deployments(document: Row) -> Mapping[str, OpenZfsDeployment]:
    speeds = {name: _speeds(rows) for name, rows in document["speeds"].items()}
    rows = {name: {**row, "speeds": speeds[row["speeds"]]} for name, row in document["deployments"].items()}
    return named(OpenZfsDeployment, rows.items(), key="deployment_type")


def _speeds(rows: Row) -> Mapping[int, OpenZfsSpeed]:
    """Return the speeds by throughput; each row lists all other fields of `OpenZfsSpeed` in order."""
    names = [each.name for each in fields(OpenZfsSpeed)]
    return MappingProxyType(
        {
            int(mbps): OpenZfsSpeed(**dict(zip(names, (int(mbps), *row), strict=True)))
            for mbps, row in rows.items()
        }
    )
