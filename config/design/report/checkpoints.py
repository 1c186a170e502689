"""The checkpoint report of a plan."""

from __future__ import annotations

from dataclasses import dataclass

from config.design.workload.checkpoint_plan import CheckpointPlan, Intervals
from config.records import copied

_HOURS_A_DAY = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalReport:
    """The checkpoint interval, in s. Saves, restores and repeated work take `lost_percent` of the time."""

    gpus: int
    mtbf_hours: float
    mtbf_stated: bool
    best_s: float
    young_s: float
    stated_s: float | None
    lost_percent: float
    gpu_hours_lost_a_day: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointReport:
    """Checkpoints of the workload, in GB, GiB, MB/s and s; None if a value does not apply.

    `limited_by` is `the file system` or `its clients`. `export_s_at_least` is our estimate, because AWS does
    not publish an export rate. `memory_percent` is the minimum share of node memory that tiered checkpointing
    needs.
    """

    file_system: str
    gb: float
    write_mbps: float
    write_s: float
    limited_by: str
    restore_s: float
    kept: int
    needed_gib: float
    capacity_gib: int | None
    export_path: str | None
    export_s_at_least: float | None
    interval: IntervalReport | None
    memory_percent: float | None
    recovery: str | None
    recovery_because: str | None


def checkpoint_report(plan: CheckpointPlan) -> CheckpointReport:
    """Return the rounded values of a checkpoint plan."""
    return CheckpointReport(
        file_system=plan.file_system.name,
        gb=round(plan.size_gb, 1),
        write_mbps=round(plan.write_mbps, 1),
        write_s=round(plan.write_s, 1),
        limited_by=plan.limit,
        restore_s=round(plan.restore_s, 1),
        kept=plan.kept,
        needed_gib=round(plan.needed_gib, 1),
        capacity_gib=plan.file_system.capacity_gib,
        export_path=plan.export_path,
        export_s_at_least=None if plan.export_s_at_least is None else round(plan.export_s_at_least, 1),
        interval=_interval(plan.intervals) if plan.intervals else None,
        memory_percent=None if plan.memory_percent is None else round(plan.memory_percent, 1),
        recovery=plan.recovery.way if plan.recovery else None,
        recovery_because=plan.recovery.because if plan.recovery else None,
    )


def _interval(intervals: Intervals) -> IntervalReport:
    return copied(
        IntervalReport,
        intervals,
        mtbf_hours=round(intervals.mtbf_hours, 2),
        best_s=round(intervals.best_s, 1),
        young_s=round(intervals.young_s, 1),
        lost_percent=round(intervals.lost_share * 100, 4),
        gpu_hours_lost_a_day=round(intervals.lost_share * intervals.gpus * _HOURS_A_DAY, 1),
    )
