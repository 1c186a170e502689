"""Lustre file systems of a design: servers, throughput, metadata and data repositories."""

from __future__ import annotations

from dataclasses import dataclass

from config.catalog import LustreKind, catalog
from config.design.storage.bandwidth import metadata_servers, provisioned_mbps, servers
from config.design.storage.repositories import RepositoryPlan, plan_repository
from config.profile.model import Profile
from config.profile.storage.lustre import AnyLustre, ExistingLustre, NewLustre

MAIN = "lustre"
"""Name of the file system in `storage.lustre`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExistingFileSystem:
    """IDs of an existing file system, which the stack does not create."""

    file_system_id: str
    mount_name: str
    security_group_id: str
    zone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LustrePlan:
    """A Lustre file system of any type; capacity in GiB (None for Intelligent-Tiering), throughput in MB/s.

    `throughput_mbps` is the disk baseline for writes and cache misses: GiB / 1024 x MB/s per TiB, or
    the declared value for Intelligent-Tiering. `metadata_iops` is None for types without a metadata
    configuration. `existing` has the IDs of an existing file system, `settings` the keys of a new one.
    """

    name: str
    kind: LustreKind
    existing: ExistingFileSystem | None
    settings: NewLustre | None
    capacity_gib: int | None
    throughput_mbps_per_tib: int | None
    throughput_mbps: float
    efa: bool
    gpudirect: bool
    version: str
    metadata_iops: int | None
    metadata_automatic: bool
    mount_path: str
    striped_paths: tuple[str, ...]
    repositories: tuple[RepositoryPlan, ...]
    object_servers: int
    metadata_servers: int

    @property
    def addresses(self) -> int:
        """IPv4 addresses in the subnet: one per server (using-fsx-lustre.html)."""
        return self.object_servers + self.metadata_servers

    @property
    def elastic(self) -> bool:
        """True if storage grows automatically (Intelligent-Tiering)."""
        return self.kind.storage == "intelligent-tiering"


def name_of(lustre: AnyLustre) -> str:
    """Return the name of a file system, unique in its profile."""
    return lustre.name or MAIN


def declared_lustre(profile: Profile | None) -> tuple[AnyLustre, ...]:
    """Return all file systems that a profile declares, the one in `lustre` first."""
    storage = profile.storage if profile else None
    if storage is None:
        return ()
    return (*((storage.lustre,) if storage.lustre else ()), *storage.additional_lustre)


def plan_file_systems(profile: Profile | None) -> tuple[LustrePlan, ...]:
    """Return the file systems of a profile whose type, throughput and capacity are valid."""
    plans = (plan_lustre(lustre) for lustre in declared_lustre(profile))
    return tuple(plan for plan in plans if plan is not None)


def plan_lustre(lustre: AnyLustre) -> LustrePlan | None:
    """Return the plan of one file system, None if its type, throughput or capacity is invalid."""
    kind = catalog().lustre.kind(lustre.deployment, lustre.storage)
    if kind is None:
        return None
    object_servers = _object_servers(lustre, kind)
    throughput = _throughput_mbps(lustre, kind)
    if object_servers is None or throughput is None:
        return None
    iops = metadata_iops_of(lustre, kind)
    per_server = catalog().lustre.metadata_iops_per_server
    new = lustre if isinstance(lustre, NewLustre) else None
    repositories = tuple(plan_repository(link) for link in new.data_repositories) if new else ()
    return LustrePlan(
        name=name_of(lustre),
        kind=kind,
        existing=_existing(lustre) if isinstance(lustre, ExistingLustre) else None,
        settings=new,
        capacity_gib=lustre.capacity_gib,
        throughput_mbps_per_tib=tier_of(lustre, kind),
        throughput_mbps=throughput,
        efa=lustre.efa,
        gpudirect=lustre.gpudirect,
        version=lustre.version,
        metadata_iops=iops,
        metadata_automatic=iops is not None and lustre.metadata_iops is None and bool(kind.tiers),
        mount_path=lustre.mount_path,
        striped_paths=_striped(lustre, repositories),
        repositories=repositories,
        object_servers=object_servers,
        metadata_servers=metadata_servers(iops or 0, per_server),
    )


def tier_of(lustre: AnyLustre, kind: LustreKind) -> int | None:
    """Return the throughput tier in MB/s per TiB: the profile's tier, or the only tier of the type."""
    return lustre.throughput_mbps_per_tib if kind.states_tier else next(iter(kind.tiers), None)


def metadata_iops_of(lustre: AnyLustre, kind: LustreKind) -> int | None:
    """Return the declared or automatic metadata IOPS, None without a metadata configuration."""
    if not kind.metadata or lustre.version != catalog().lustre.min_version_for_efa:
        return None
    if lustre.metadata_iops is not None:
        return lustre.metadata_iops
    if not kind.tiers or lustre.capacity_gib is None:
        return catalog().lustre.tiering.metadata_iops[0]
    return catalog().lustre.automatic_metadata_iops(lustre.capacity_gib)


def _object_servers(lustre: AnyLustre, kind: LustreKind) -> int | None:
    facts = catalog().lustre
    if not kind.tiers:
        return servers(lustre.throughput_mbps or 0, facts.tiering.mbps_per_server) or None
    tier = tier_of(lustre, kind)
    least = min((*kind.small_capacities_gib, *kind.capacity_steps_gib.values()))
    if tier not in kind.tiers or lustre.capacity_gib is None or lustre.capacity_gib < least:
        return None
    efa_unit = facts.step_of(kind, tier, efa=True) if lustre.efa and kind.efa else None
    return servers(lustre.capacity_gib, efa_unit or kind.gib_per_server[tier])


def _throughput_mbps(lustre: AnyLustre, kind: LustreKind) -> float | None:
    if not kind.tiers:
        return lustre.throughput_mbps
    tier = tier_of(lustre, kind)
    if lustre.capacity_gib is None or tier is None:
        return None
    return provisioned_mbps(lustre.capacity_gib, tier)


def _striped(lustre: AnyLustre, repositories: tuple[RepositoryPlan, ...]) -> tuple[str, ...]:
    """Return the node paths of directories for a few large files; the file system stripes these files.

    The paths are sorted, so that the order of data repositories in a profile does not change the nodes.
    """
    exporting = (repository.path for repository in repositories if repository.export_events)
    paths = {*exporting, *(path.rstrip("/") or "/" for path in lustre.checkpoint_paths)}
    return tuple(f"{lustre.mount_path}{'' if path == '/' else path}" for path in sorted(paths))


def _existing(lustre: ExistingLustre) -> ExistingFileSystem:
    return ExistingFileSystem(
        file_system_id=lustre.file_system_id,
        mount_name=lustre.mount_name,
        security_group_id=lustre.security_group_id,
        zone=lustre.availability_zone_id or lustre.availability_zone or "",
    )
