"""What FSx for Lustre allows and delivers. Capacity in GiB, throughput in MB/s, as the FSx API has them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile

from config.catalog.hardware import Sources, sources_for


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreTier:
    """One PERSISTENT_2 SSD tier (PerUnitStorageThroughput, MB/s per TiB).

    With EFA, capacity is a multiple of ``efa_capacity_unit_gib``, which is also the size of one EFA server.
    Size checkpoints on the disk baseline: burst is credit-based. None means that no burst is offered.
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
    """From this capacity on, AUTOMATIC metadata gives this many IOPS."""

    from_gib: int
    iops: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientCeiling:
    """The most one client can move, in Gbps, by how it is attached."""

    file_system_efa: bool
    client: str
    gbps: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Lustre:
    """FSx for Lustre PERSISTENT_2 on SSD.

    Capacity without EFA is one of ``small_capacities_gib`` or a multiple of ``capacity_step_gib``; with EFA a
    multiple of the tier's unit. ``usd_per_gib_month`` is None: no source states a price.
    """

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
    usd_per_gib_month: float | None
    sources: Sources = field(hash=False)
    notes: tuple[str, ...] = ()

    def capacity_step(self, tier: LustreTier, *, efa: bool) -> int:
        """What a capacity must be a multiple of, in GiB."""
        return tier.efa_capacity_unit_gib if efa else self.capacity_step_gib

    def takes_capacity(self, gib: int, tier: LustreTier, *, efa: bool) -> bool:
        """Whether a file system of this size exists at a tier: without EFA there are smaller ones too."""
        if not efa and gib in self.small_capacities_gib:
            return True
        return gib > 0 and gib % self.capacity_step(tier, efa=efa) == 0

    @property
    def allowed_metadata_iops(self) -> tuple[int, ...]:
        """Every value that USER_PROVISIONED metadata accepts."""
        steps = range(self.metadata_iops_step, self.metadata_iops_max + 1, self.metadata_iops_step)
        return tuple(sorted({*self.metadata_iops_small, *steps}))

    def enough_metadata_iops(self, wanted: int, capacity_gib: int) -> int:
        """Return the least IOPS that a user may provision for this capacity, and not below `wanted`."""
        least = max(wanted, self.automatic_metadata_iops(capacity_gib))
        return next((iops for iops in self.allowed_metadata_iops if iops >= least), self.metadata_iops_max)

    def automatic_metadata_iops(self, capacity_gib: int) -> int:
        """Return what AUTOMATIC metadata gives at this capacity, also the least a user may provision."""
        reached = [*takewhile(lambda step: step.from_gib <= capacity_gib, self.metadata_steps)]
        if not reached:
            raise ValueError(f"{capacity_gib} GiB is below the smallest file system")
        last = reached[-1]
        if last is not self.metadata_steps[-1]:
            return last.iops
        growths = (capacity_gib - last.from_gib) // self.metadata_growth_gib
        return last.iops + growths * self.metadata_growth_iops

    def sources_of(self, field_name: str) -> tuple[str, ...]:
        """Return the source keys behind one field."""
        return sources_for(self.sources, field_name)
