"""Smallest Lustre capacity for a required size and throughput, for each throughput tier."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from config.catalog import catalog
from config.design.capacity.groups import GroupPlan
from config.design.nodes.file_system_clients import clients_of, together
from config.design.storage.bandwidth import GIB_PER_TIB, provisioned_mbps, servers
from config.design.storage.file_system_rates import rates_of
from config.design.storage.lustre import LustrePlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """A capacity in GiB at a tier in MB/s per TiB, and the write throughput of the nodes in MB/s."""

    capacity_gib: int
    tier: int
    write_mbps: float


def sizes_for(lustre: LustrePlan, gib: float, mbps: float, groups: Iterable[GroupPlan]) -> tuple[Size, ...]:
    """Return the smallest capacity at each tier that has the required size and write throughput, in order.

    Tiers at which the nodes do not reach the throughput are left out. The result is empty for elastic
    storage. An existing file system with EFA cannot change its tier.
    """
    fixed = lustre.existing is not None and lustre.efa
    tiers = (lustre.throughput_mbps_per_tib,) if fixed else lustre.kind.tiers
    nodes = tuple(groups)
    found = [size for tier in tiers if tier and (size := _smallest(lustre, tier, gib, mbps, nodes))]
    return tuple(sorted(found, key=lambda size: size.capacity_gib))


def _smallest(
    lustre: LustrePlan, tier: int, gib: float, mbps: float, groups: tuple[GroupPlan, ...]
) -> Size | None:
    least = max(gib, mbps * GIB_PER_TIB / _write_mbps_per_tib(lustre, tier))
    capacity = _capacity(lustre, tier, least)
    if capacity is None:
        return None
    system = _at(lustre, tier, capacity)
    rates = rates_of(system)
    written = together(clients_of(system, rates, groups), rates.write)
    enough = written >= mbps or math.isclose(written, mbps)
    return Size(capacity_gib=capacity, tier=tier, write_mbps=written) if enough else None


def _capacity(lustre: LustrePlan, tier: int, gib: float) -> int | None:
    step = catalog().lustre.step_of(lustre.kind, tier, efa=lustre.efa)
    if step is None:
        return None
    small = () if lustre.efa else lustre.kind.small_capacities_gib
    return min(size for size in (*small, max(1, math.ceil(gib / step)) * step) if size >= gib)


def _write_mbps_per_tib(lustre: LustrePlan, tier: int) -> float:
    """Return the write throughput of 1 TiB at a tier; scratch-2 writes at half of its read throughput."""
    return rates_of(_at(lustre, tier, GIB_PER_TIB)).write


def _at(lustre: LustrePlan, tier: int, capacity_gib: int) -> LustrePlan:
    """Return the file system with another size and tier."""
    unit = catalog().lustre.step_of(lustre.kind, tier, efa=True) if lustre.efa else None
    return replace(
        lustre,
        capacity_gib=capacity_gib,
        throughput_mbps_per_tib=tier,
        throughput_mbps=provisioned_mbps(capacity_gib, tier),
        object_servers=servers(capacity_gib, unit or lustre.kind.gib_per_server[tier]),
    )
