"""Throughput (MB/s) and cache (GiB) per TiB of capacity of Lustre types other than persistent-2 on SSD."""

from dataclasses import dataclass, field

from config.catalog.files import Row
from config.catalog.hardware import Sourced, Sources


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreSpeed:
    """Throughput of one deployment type, storage type and tier.

    A value is None if the tier cannot burst or AWS does not publish the value.
    """

    deployment: str
    storage: str
    tier: int
    network: float
    network_burst: float | None
    disk_read: float
    disk_write: float
    disk_burst_read: float | None
    disk_burst_write: float | None
    ram_cache_gib: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreSpeeds(Sourced):
    """Rates of all these tiers, and of one Intelligent-Tiering server."""

    rows: tuple[LustreSpeed, ...]
    network_mbps_per_server: float
    ram_cache_gb_per_server: float
    sources: Sources = field(hash=False)
    notes: tuple[str, ...] = ()

    def find(self, deployment: str, storage: str, tier: int | None) -> LustreSpeed | None:
        """Return the row of a tier, or None."""
        wanted = (deployment, storage, tier)
        return next((row for row in self.rows if (row.deployment, row.storage, row.tier) == wanted), None)


def lustre_speeds(document: Row) -> LustreSpeeds:
    """Build the facts from their data file."""
    return LustreSpeeds(
        rows=tuple(LustreSpeed(**row) for row in document["rows"]),
        **document["tiering"],
        sources=document["sources"],
        notes=document["notes"],
    )
