"""The file system that follows from a profile: servers, throughput, metadata, repositories."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from config.catalog import catalog
from config.design.names import fingerprint
from config.profile.storage import DataRepository, NewLustre, RepositoryEvent

_LONGEST_NAME = 24
"""Ids stay readable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryPlan:
    """One data repository association. `bucket` is None for a bucket of the cluster's own."""

    name: str
    path: str
    bucket: str | None
    prefix: str
    import_events: tuple[RepositoryEvent, ...]
    export_events: tuple[RepositoryEvent, ...]
    import_metadata_on_create: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LustrePlan:
    """A persistent-2 file system on SSD. Capacity in GiB, throughput in MB/s.

    `throughput_mbps` is the disk baseline, which writes and cache misses get: GiB / 1024 x MB/s per TiB.
    """

    capacity_gib: int
    throughput_mbps_per_tib: int
    efa: bool
    metadata_iops: int
    metadata_automatic: bool
    compression: str
    mount_path: str
    weekly_maintenance_start: str
    repositories: tuple[RepositoryPlan, ...]
    object_servers: int
    metadata_servers: int

    @property
    def throughput_mbps(self) -> float:
        """Disk baseline of the whole file system in MB/s."""
        return self.capacity_gib / 1024 * self.throughput_mbps_per_tib

    @property
    def addresses(self) -> int:
        """IPv4 addresses of the subnet: one for each server (using-fsx-lustre.html)."""
        return self.object_servers + self.metadata_servers


def plan_lustre(lustre: NewLustre) -> LustrePlan | None:
    """The file system of a profile; None when its throughput tier or capacity is not one that exists."""
    facts = catalog().lustre
    tier = facts.tiers.get(lustre.throughput_mbps_per_tib)
    if tier is None or lustre.capacity_gib < facts.small_capacities_gib[0]:
        return None
    gib_per_server = tier.efa_capacity_unit_gib if lustre.efa else facts.gib_per_server_without_efa
    iops = lustre.metadata_iops or facts.automatic_metadata_iops(lustre.capacity_gib)
    return LustrePlan(
        capacity_gib=lustre.capacity_gib,
        throughput_mbps_per_tib=lustre.throughput_mbps_per_tib,
        efa=lustre.efa,
        metadata_iops=iops,
        metadata_automatic=lustre.metadata_iops is None,
        compression=lustre.compression,
        mount_path=lustre.mount_path,
        weekly_maintenance_start=lustre.weekly_maintenance_start,
        repositories=tuple(_repository(repository) for repository in lustre.data_repositories),
        object_servers=math.ceil(lustre.capacity_gib / gib_per_server),
        metadata_servers=max(1, math.ceil(iops / facts.metadata_iops_per_server)),
    )


def _repository(repository: DataRepository) -> RepositoryPlan:
    return RepositoryPlan(
        name=repository_name(repository.path),
        path=repository.path.rstrip("/") or "/",
        bucket=None if repository.bucket == "new" else repository.bucket,
        prefix=repository.prefix.strip("/"),
        import_events=tuple(sorted(repository.import_events)),
        export_events=tuple(sorted(repository.export_events)),
        import_metadata_on_create=repository.import_metadata_on_create,
    )


def repository_name(path: str) -> str:
    """The name of a repository in ids: its path in words; no two paths share one.

    `/datasets` is `datasets`; a path that is more than one plain word carries a fingerprint, since `/a-b`
    and `/a_b` read alike.
    """
    plain = path.strip("/")
    words = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-") or "root"
    return words if plain in (words, "") else f"{words[:_LONGEST_NAME]}-{fingerprint(plain, 4)}"


@lru_cache(maxsize=1024)
def paths_nest(one: str, other: str) -> bool:
    """Whether two paths are the same, or one lies in the other; slashes at the ends do not count."""
    a, b = ("/" + path.strip("/") + "/" if path.strip("/") else "/" for path in (one, other))
    return a.startswith(b) or b.startswith(a)
