"""Disk and network throughput of a file system, baseline and burst."""

from __future__ import annotations

from dataclasses import dataclass

from config.catalog import catalog
from config.design.storage.bandwidth import provisioned_mbps
from config.design.storage.checkpoints import BYTES_PER_GB, BYTES_PER_GIB
from config.design.storage.lustre import LustrePlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """MB/s of a whole file system; None if no source has the value, or if the file system has no burst.

    Writes, and reads that are not in the servers' memory cache, use the disk rates. Other reads use the
    network rates. `cache_gb` is the size of the servers' memory cache.
    """

    disk_read: float
    disk_write: float
    disk_burst_read: float | None = None
    disk_burst_write: float | None = None
    network: float | None = None
    network_burst: float | None = None
    cache_gb: float | None = None

    @property
    def write(self) -> float:
        """Sustained write throughput."""
        return min(self.disk_write, self.network or self.disk_write)

    @property
    def read(self) -> float:
        """Sustained read throughput of data that is not in the servers' memory cache."""
        return min(self.disk_read, self.network or self.disk_read)


def rates_of(lustre: LustrePlan) -> Rates:
    """Return the rates of a file system of any type."""
    if lustre.elastic:
        speeds = catalog().lustre_speeds
        return Rates(
            disk_read=lustre.throughput_mbps,
            disk_write=lustre.throughput_mbps,
            network=lustre.object_servers * speeds.network_mbps_per_server,
            cache_gb=lustre.object_servers * speeds.ram_cache_gb_per_server,
        )
    if lustre.throughput_mbps_per_tib in catalog().lustre.tiers:
        return _persistent_2(lustre, lustre.capacity_gib or 0)
    return _others(lustre, lustre.capacity_gib or 0)


def _persistent_2(lustre: LustrePlan, gib: int) -> Rates:
    tier = catalog().lustre.tiers[lustre.throughput_mbps_per_tib or 0]
    burst = _all(gib, tier.disk_burst_mbps_per_tib)
    return Rates(
        disk_read=lustre.throughput_mbps,
        disk_write=lustre.throughput_mbps,
        disk_burst_read=burst,
        disk_burst_write=burst,
        network=_all(gib, tier.network_baseline_mbps_per_tib),
        network_burst=_all(gib, tier.network_burst_mbps_per_tib),
        cache_gb=_cache_gb(gib, tier.ram_cache_gib_per_tib),
    )


def _others(lustre: LustrePlan, gib: int) -> Rates:
    kind = lustre.kind
    speed = catalog().lustre_speeds.find(kind.deployment, kind.storage, lustre.throughput_mbps_per_tib)
    if speed is None:
        return Rates(disk_read=lustre.throughput_mbps, disk_write=lustre.throughput_mbps)
    return Rates(
        disk_read=provisioned_mbps(gib, speed.disk_read),
        disk_write=provisioned_mbps(gib, speed.disk_write),
        disk_burst_read=_all(gib, speed.disk_burst_read),
        disk_burst_write=_all(gib, speed.disk_burst_write),
        network=_all(gib, speed.network),
        network_burst=_all(gib, speed.network_burst),
        cache_gb=_cache_gb(gib, speed.ram_cache_gib),
    )


def _all(gib: int, per_tib: float | None) -> float | None:
    return None if per_tib is None else provisioned_mbps(gib, per_tib)


def _cache_gb(gib: int, gib_per_tib: float | None) -> float | None:
    cache = _all(gib, gib_per_tib)
    return None if cache is None else cache * BYTES_PER_GIB / BYTES_PER_GB
