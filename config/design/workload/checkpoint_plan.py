"""The checkpoint plan of a workload: size, times, interval, number and recovery."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from config.catalog import catalog
from config.design.capacity.groups import GroupPlan
from config.design.nodes.file_system_clients import clients_of, together
from config.design.storage import checkpoints as arithmetic
from config.design.storage.file_system_rates import Rates, rates_of
from config.design.storage.lustre import LustrePlan
from config.design.storage.recovery import Recovery, recovery
from config.profile.workload import Workload

_SECONDS_AN_HOUR = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals:
    """The checkpoint interval in s, from the end of one save to the start of the next."""

    gpus: int
    mtbf_hours: float
    mtbf_stated: bool
    young_s: float
    best_s: float
    stated_s: float | None
    lost_share: float
    restore_share: float

    @property
    def interval_s(self) -> float:
        """The interval of the profile, or the optimal one."""
        return self.best_s if self.stated_s is None else self.stated_s


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointPlan:
    """Checkpoints on one file system. Sizes in GB and GiB, rates in MB/s, times in s.

    `limit` is the limit of a write: `the file system` or `its clients`. `intervals` and `recovery` are None
    without GPUs. The export values are None without an export to S3, and `memory_percent` is None without
    nodes.
    """

    file_system: LustrePlan
    size_gb: float
    write_mbps: float
    restore_mbps: float
    limit: str
    write_s: float
    restore_s: float
    kept: int
    needed_gib: float
    export_path: str | None
    export_s_at_least: float | None
    intervals: Intervals | None
    memory_percent: float | None
    recovery: Recovery | None


def plan_checkpoints(
    workload: Workload | None,
    file_systems: Sequence[LustrePlan],
    groups: Sequence[GroupPlan],
    control_plane: str | None,
) -> CheckpointPlan | None:
    """Return the checkpoint plan; None without a workload or without a file system."""
    if workload is None or not file_systems:
        return None
    lustre = saved_on(file_systems)
    rates = rates_of(lustre)
    clients = clients_of(lustre, rates, groups)
    size = arithmetic.checkpoint_gb(workload.parameters, workload.bytes_per_parameter)
    write_mbps, restore_mbps = together(clients, rates.write), together(clients, rates.read)
    write_s = arithmetic.seconds_to_move(size, write_mbps)
    restore_s = arithmetic.seconds_to_move(size, restore_mbps)
    export = next((link.path for link in lustre.repositories if link.export_events), None)
    intervals = _intervals(workload, groups, write_s, restore_s)
    memory = sum(group.usable * group.instance_type.memory_gib for group in groups if group.gpus)
    copies = catalog().checkpoints.tiered.copies
    memory_percent = arithmetic.memory_percent(size, copies, memory) if memory else None
    return CheckpointPlan(
        file_system=lustre,
        size_gb=size,
        write_mbps=write_mbps,
        restore_mbps=restore_mbps,
        limit="the file system" if write_mbps == rates.write else "its clients",
        write_s=write_s,
        restore_s=restore_s,
        kept=workload.kept_checkpoints,
        needed_gib=arithmetic.capacity_gib(
            size, workload.kept_checkpoints, catalog().checkpoints.fill_at_most, workload.datasets_gib
        ),
        export_path=export,
        export_s_at_least=_export_s(size, rates) if export else None,
        intervals=intervals,
        memory_percent=memory_percent,
        recovery=_recovery(control_plane, groups, size, intervals, memory_percent) if intervals else None,
    )


def saved_on(file_systems: Sequence[LustrePlan]) -> LustrePlan:
    """Return the first file system with a checkpoint directory; if no file system has one, the first."""
    return next((system for system in file_systems if system.striped_paths), file_systems[0])


def _export_s(size_gb: float, rates: Rates) -> float:
    cache = math.inf if rates.cache_gb is None else rates.cache_gb  # unlimited, so that reads are the limit
    network = rates.network or rates.disk_read
    return arithmetic.export_s_at_least(size_gb, network, rates.disk_read, cache)


def _intervals(
    workload: Workload, groups: Sequence[GroupPlan], write_s: float, restore_s: float
) -> Intervals | None:
    gpus = sum(group.gpus for group in groups if group.role == "compute")
    if not gpus:
        return None
    failures = catalog().checkpoints.failures
    mtbf_hours = workload.mtbf_hours or arithmetic.mtbf_hours(
        failures.interruptions, failures.days, failures.gpus, gpus
    )
    mtbf_s = mtbf_hours * _SECONDS_AN_HOUR
    best = arithmetic.daly_s(write_s, mtbf_s)
    interval = workload.checkpoint_interval_s or best
    return Intervals(
        gpus=gpus,
        mtbf_hours=mtbf_hours,
        mtbf_stated=workload.mtbf_hours is not None,
        young_s=arithmetic.young_s(write_s, mtbf_s),
        best_s=best,
        stated_s=workload.checkpoint_interval_s,
        lost_share=arithmetic.lost_share(interval, write_s, restore_s, mtbf_s),
        restore_share=restore_s / mtbf_s,
    )


def _recovery(
    control_plane: str | None,
    groups: Sequence[GroupPlan],
    size_gb: float,
    intervals: Intervals,
    memory_percent: float | None,
) -> Recovery:
    gpu_memory = sum(
        group.usable * group.instance_type.gpu.memory_gib for group in groups if group.instance_type.gpu
    )
    replicas = catalog().checkpoints.checkpointless.replicas
    return recovery(
        control_plane=control_plane,
        lost_share=intervals.lost_share,
        restore_share=intervals.restore_share,
        memory_percent=memory_percent,
        gpu_memory_percent=arithmetic.memory_percent(size_gb, replicas, gpu_memory) if gpu_memory else None,
    )
