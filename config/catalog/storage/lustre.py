"""Limits and throughput of FSx for Lustre. Capacity in GiB, throughput in MB/s, as in the FSx API."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile

from config.catalog.hardware import Sourced, Sources


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreTier:
    """A PERSISTENT_2 SSD throughput tier (PerUnitStorageThroughput, MB/s per TiB).

    With EFA, the capacity is a multiple of ``efa_capacity_unit_gib``, which is also the capacity of one
    server. For checkpoints use the disk baseline, because bursts use credits. A burst rate of None means that
    there is no burst.
    """

    throughput_mbps_per_tib: int
    efa_capacity_unit_gib: int
    network_baseline_mbps_per_tib: int
    network_burst_mbps_per_tib: int | None
    ram_cache_gib_per_tib: float
    disk_baseline_mbps_per_tib: int
    disk_burst_mbps_per_tib: int | None
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataStep:
    """Metadata IOPS that AUTOMATIC mode provides at a capacity of at least `from_gib`."""

    from_gib: int
    iops: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientCeiling:
    """Maximum throughput of one client in Gbps, by its type of connection."""

    file_system_efa: bool
    client: str
    gbps: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreKind:
    """A deployment type on one storage type, with its limits and features.

    ``capacity_steps_gib`` is the step of the capacity for each throughput tier (MB/s per TiB), and
    ``gib_per_server`` the capacity of a server. ``small_capacities_gib`` are also valid, without EFA. A type
    whose tier is fixed (scratch) has one tier, and a type with elastic storage (Intelligent-Tiering) has
    none. ``quota_gib`` is the default quota of all its file systems.
    """

    deployment: str
    storage: str
    states_tier: bool
    capacity_steps_gib: Mapping[int, int] = field(hash=False)
    gib_per_server: Mapping[int, int] = field(hash=False)
    small_capacities_gib: tuple[int, ...]
    versions: tuple[str, ...]
    efa: bool
    metadata: bool
    data_repositories: bool
    backups: bool
    kms_key: bool
    quota_gib: int | None
    sources: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name in messages: `persistent-1 on hdd`."""
        return f"{self.deployment} on {self.storage}"

    @property
    def tiers(self) -> tuple[int, ...]:
        """Throughput tiers in MB/s per TiB, sorted."""
        return tuple(sorted(self.capacity_steps_gib))

    def takes_capacity(self, gib: int, step: int, *, efa: bool) -> bool:
        """Return whether a capacity is valid with this step."""
        return (not efa and gib in self.small_capacities_gib) or (gib > 0 and gib % step == 0)

    def nearest_capacities(self, gib: int, step: int, *, efa: bool) -> tuple[int, ...]:
        """Return the two valid capacities nearest to a given one, sorted."""
        below = gib // step * step
        small = () if efa else self.small_capacities_gib
        sizes = {*small, below, below + step, below + 2 * step} - {0}
        return tuple(sorted(sorted(sizes, key=lambda size: (abs(size - gib), size))[:2]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiering:
    """Limits of FSx for Lustre Intelligent-Tiering: throughput in MB/s, read cache in GiB.

    ``cache_gib`` is the minimum and maximum cache size per step of the throughput.
    """

    throughput_step_mbps: int
    throughput_max_mbps: int
    mbps_per_server: int
    metadata_iops: tuple[int, ...]
    cache_gib: tuple[int, int]
    quota_mbps: int
    quota_cache_gib: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Lustre(Sourced):
    """FSx for Lustre: all types, and the tiers of PERSISTENT_2 on SSD.

    Without EFA, the capacity is one of ``small_capacities_gib`` or a multiple of ``capacity_step_gib``; with
    EFA a multiple of the tier's unit. Sources disagree about GPUDirect Storage on
    ``gpudirect_disputed_types``.
    """

    kinds: tuple[LustreKind, ...]
    tiering: Tiering
    gpudirect_types: tuple[str, ...]
    gpudirect_disputed_types: tuple[str, ...]

    tiers: Mapping[int, LustreTier] = field(hash=False)
    small_capacities_gib: tuple[int, ...]
    capacity_step_gib: int
    gib_per_server_without_efa: int
    metadata_steps: tuple[MetadataStep, ...]
    metadata_growth_gib: int
    metadata_growth_iops: int
    metadata_iops_small: tuple[int, ...]
    metadata_iops_step: int
    metadata_iops_max: int
    metadata_iops_per_server: int
    max_data_repository_associations: int
    max_efa_connections: int
    default_quota_gib: int
    hours_between_changes: int
    efa_worthwhile_above_mbps: int
    ena_gbps_per_client_and_server: float
    client_ceilings: tuple[ClientCeiling, ...]
    min_version_for_efa: str
    sources: Sources = field(hash=False)
    notes: tuple[str, ...] = ()

    def kind(self, deployment: str, storage: str) -> LustreKind | None:
        """Return a deployment type on a storage type; None if the combination does not exist."""
        found = (row for row in self.kinds if (row.deployment, row.storage) == (deployment, storage))
        return next(found, None)

    def step_of(self, kind: LustreKind, tier: int, *, efa: bool) -> int | None:
        """Return the step of the capacity in GiB; None if the type does not have the tier."""
        if efa and kind.efa:
            return self.tiers[tier].efa_capacity_unit_gib if tier in self.tiers else None
        return kind.capacity_steps_gib.get(tier)

    def client_gbps(self, client: str) -> float:
        """Return the maximum Gbps of one client: ``ena``, ``ena-express``, ``efa`` or ``efa-gds``."""
        return max(row.gbps for row in self.client_ceilings if row.client == client)

    def capacity_step(self, tier: LustreTier, *, efa: bool) -> int:
        """Return the step of the capacity in GiB."""
        return tier.efa_capacity_unit_gib if efa else self.capacity_step_gib

    def takes_capacity(self, gib: int, tier: LustreTier, *, efa: bool) -> bool:
        """Return whether a capacity is valid at a tier; without EFA, small capacities are valid too."""
        if not efa and gib in self.small_capacities_gib:
            return True
        return gib > 0 and gib % self.capacity_step(tier, efa=efa) == 0

    @property
    def allowed_metadata_iops(self) -> tuple[int, ...]:
        """All valid values of USER_PROVISIONED metadata IOPS."""
        steps = range(self.metadata_iops_step, self.metadata_iops_max + 1, self.metadata_iops_step)
        return tuple(sorted({*self.metadata_iops_small, *steps}))

    def enough_metadata_iops(self, wanted: int, capacity_gib: int) -> int:
        """Return the smallest valid number of IOPS for this capacity that is at least `wanted`."""
        least = max(wanted, self.automatic_metadata_iops(capacity_gib))
        return next((iops for iops in self.allowed_metadata_iops if iops >= least), self.metadata_iops_max)

    def automatic_metadata_iops(self, capacity_gib: int) -> int:
        """Return the IOPS that AUTOMATIC mode provides at this capacity; fewer cannot be provisioned."""
        reached = [*takewhile(lambda step: step.from_gib <= capacity_gib, self.metadata_steps)]
        if not reached:
            raise ValueError(f"{capacity_gib} GiB is below the smallest file system")
        last = reached[-1]
        if last is not self.metadata_steps[-1]:
            return last.iops
        growths = (capacity_gib - last.from_gib) // self.metadata_growth_gib
        # the API model has this maximum for both modes
        return min(last.iops + growths * self.metadata_growth_iops, self.metadata_iops_max)
