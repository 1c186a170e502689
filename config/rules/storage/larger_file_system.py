"""Hints for a file system that needs more capacity or throughput; all findings use the same hints."""

from __future__ import annotations

import math
from collections.abc import Iterable

from config.catalog import catalog
from config.design.model import Design
from config.design.nodes.file_system_sizes import Size, sizes_for
from config.design.storage.lustre import LustrePlan
from config.design.workload.checkpoint_plan import CheckpointPlan


def faster(design: Design, plan: CheckpointPlan, mbps: float) -> str:
    """Return a hint with a file system size that delivers `mbps` and has room for the plan's checkpoints."""
    system = plan.file_system
    if system.elastic:
        return _more_throughput(design, system, mbps)
    sizes = sizes_for(system, plan.needed_gib, mbps, design.groups)
    if not sizes:
        efa = "" if system.efa else ", or EFA"
        return f"the throughput of the nodes is the limit: {mbps:,.0f} MB/s require more nodes{efa}"
    return _one_of(design, system, sizes)


def larger(design: Design, plan: CheckpointPlan, mbps: float) -> str:
    """Return a hint with a size that has room for the plan's checkpoints; if possible, it delivers `mbps`."""
    system = plan.file_system
    sizes = sizes_for(system, plan.needed_gib, mbps, design.groups)
    sizes = sizes or sizes_for(system, plan.needed_gib, 0, design.groups)
    if not sizes:  # Intelligent-Tiering with a capacity, which LUS014 reports
        return f"use {math.ceil(plan.needed_gib):,} GiB or more for {_named(design, system)}"
    return _one_of(design, system, sizes)


def _one_of(design: Design, system: LustrePlan, sizes: tuple[Size, ...]) -> str:
    """Return a hint with the sizes; it lists sizes within the default quota first."""
    left, quota = _left_of_quota(design, system), system.kind.quota_gib
    within = [size for size in sizes if left is None or size.capacity_gib <= left]
    if not within:
        more = f"; this exceeds the default quota of {quota:,} GiB, so request a higher quota first"
        return f"{_use(sizes, system)} for {_named(design, system)}{_fixed(system, sizes)}{more}"
    beyond = [size for size in sizes if size not in within]
    rest = f"; or, after a quota increase (the default is {quota:,} GiB), {_others(beyond)}" if beyond else ""
    return f"{_use(within, system)} for {_named(design, system)}{_fixed(system, sizes)}{rest}"


def _use(sizes: Iterable[Size], system: LustrePlan) -> str:
    first, *others = sizes
    if not system.kind.states_tier:
        return f"set `capacity_gib: {first.capacity_gib}`"
    use = f"set `capacity_gib: {first.capacity_gib}` and `throughput_mbps_per_tib: {first.tier}`"
    return f"{use}, or {_others(others)}," if others else use


def _others(sizes: Iterable[Size]) -> str:
    return ", ".join(f"{size.capacity_gib} at {size.tier}" for size in sizes)


def _fixed(system: LustrePlan, sizes: tuple[Size, ...]) -> str:
    """Return a remark if EFA fixes the tier and one of the sizes has a different tier; otherwise ""."""
    others = system.efa and any(size.tier != system.throughput_mbps_per_tib for size in sizes)
    return " (with EFA the tier is fixed at creation)" if others else ""


def _more_throughput(design: Design, system: LustrePlan, mbps: float) -> str:
    facts = catalog().lustre.tiering
    needed = facts.throughput_step_mbps * math.ceil(mbps / facts.throughput_step_mbps)
    if needed > facts.throughput_max_mbps:
        return f"{mbps:,.0f} MB/s exceeds the maximum of one file system, {facts.throughput_max_mbps:,} MB/s"
    quota = f"{facts.quota_mbps:,} MB/s"
    more = f"; this exceeds the default quota of {quota}, so request a higher quota first"
    return f"set `throughput_mbps: {needed}` for {_named(design, system)}" + (
        more if needed > facts.quota_mbps else ""
    )


def _left_of_quota(design: Design, system: LustrePlan) -> int | None:
    """Return the GiB of the default quota that other file systems do not use; None if there is no quota."""
    if system.kind.quota_gib is None:
        return None
    others = (
        other.capacity_gib or 0
        for other in design.file_systems
        if other.name != system.name and other.kind == system.kind
    )
    return system.kind.quota_gib - sum(others)


def _named(design: Design, system: LustrePlan) -> str:
    name = f"the file system {system.name}"
    if system.existing:
        return f"{name}, which this stack does not create: change the file system before you deploy"
    theirs = design.data_profile is not None and system not in design.own_file_systems
    return (
        f"{name} of the data profile {design.data_profile.name}" if theirs and design.data_profile else name
    )
