"""What FSx for Lustre allows and delivers. Capacity in GiB, throughput in MB/s, as the FSx API has them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile

from config.catalog.hardware import Sourced, Sources


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
class LustreKind:
    """A deployment type on one kind of storage, and what the service takes of it.

    ``capacity_steps_gib`` has the step of the capacity at each throughput tier (MB/s per TiB), and
    ``gib_per_server`` the size of a server; ``small_capacities_gib`` exist beside the steps, without EFA. A
    kind that does not state its throughput (scratch) has the one tier that it is made with, and one whose
    storage is elastic (Intelligent-Tiering) none. ``quota_gib`` is the default for all its file systems.
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
        """The kind in a message: `persistent-1 on hdd`."""
        return f"{self.deployment} on {self.storage}"

    @property
    def tiers(self) -> tuple[int, ...]:
        """Its throughput tiers in MB/s per TiB, sorted."""
        return tuple(sorted(self.capacity_steps_gib))

    def takes_capacity(self, gib: int, step: int, *, efa: bool) -> bool:
        """Whether a file system of this size exists where capacities go in such steps."""
        return (not efa and gib in self.small_capacities_gib) or (gib > 0 and gib % step == 0)

    def nearest_capacities(self, gib: int, step: int, *, efa: bool) -> tuple[int, ...]:
        """The two sizes that exist nearest to a wanted one, sorted."""
        below = gib // step * step
        small = () if efa else self.small_capacities_gib
        sizes = {*small, below, below + step, below + 2 * step} - {0}
        return tuple(sorted(sorted(sizes, key=lambda size: (abs(size - gib), size))[:2]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiering:
    """FSx for Lustre Intelligent-Tiering: throughput as a whole, in MB/s, and its read cache in GiB.

    The cache may have ``cache_gib`` (least, most) for each step of the throughput.
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
    """FSx for Lustre: its kinds, and the tiers of PERSISTENT_2 on SSD in detail.

    Capacity without EFA is one of ``small_capacities_gib`` or a multiple of ``capacity_step_gib``; with EFA a
    multiple of the tier's unit. On ``gpudirect_disputed_types`` sources disagree whether GPUDirect Storage
    works.
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
        """Return a deployment type on a kind of storage; None where there is no such file system."""
        found = (row for row in self.kinds if (row.deployment, row.storage) == (deployment, storage))
        return next(found, None)

    def step_of(self, kind: LustreKind, tier: int, *, efa: bool) -> int | None:
        """Return what a capacity must be a multiple of, in GiB; None where the kind has no such tier."""
        if efa and kind.efa:
            return self.tiers[tier].efa_capacity_unit_gib if tier in self.tiers else None
        return kind.capacity_steps_gib.get(tier)

    def client_gbps(self, client: str) -> float:
        """Return the most that one client moves: ``ena``, ``ena-express``, ``efa`` or ``efa-gds``."""
        return max(row.gbps for row in self.client_ceilings if row.client == client)

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
        # the API's model has this bound for what is provisioned in either mode
        return min(last.iops + growths * self.metadata_growth_iops, self.metadata_iops_max)
