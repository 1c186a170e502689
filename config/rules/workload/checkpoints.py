"""What the profile is for, against its storage and its machines: checkpoints that keep up and fit."""

from __future__ import annotations

import math
from collections.abc import Iterator

from config.design.model import Design
from config.design.workload.checkpoint_plan import CheckpointPlan
from config.design.workload.experts import plan_experts
from config.rules.figures import apart
from config.rules.registry import NOTE, WARNING, Finding, rule
from config.rules.storage.larger_file_system import faster, larger

_PAGE = "docs/reference/storage-plan.md"
_READS = "workload storage data compute orchestrator"


@rule(
    "WRK001", WARNING, "a checkpoint is written within the time that the profile allows",
    why="Training stands still while a checkpoint is written, on every GPU.",
    source=_PAGE, reads=_READS,
    where="workload",
)  # fmt: skip
def write_time_is_within_the_target(design: Design) -> Iterator[Finding]:
    """Write time against the target."""
    plan, workload = design.checkpoints, design.profile.workload
    target = workload.checkpoint_target_s if workload else None
    if plan and target is not None and _is_more(plan.write_s, target):
        takes, wanted = apart(plan.write_s, target)
        yield Finding(
            at=("workload", "checkpoint_target_s"),
            message=f"a checkpoint of {plan.size_gb:,.0f} GB takes {takes} s to write at "
            f"{plan.write_mbps:,.0f} MB/s, the target is {wanted} s",
            hint=faster(design, plan, _wanted_mbps(design, plan)),
        )


def _is_more(figure: float, bound: float) -> bool:
    """Whether a figure is above a bound, by more than the arithmetic leaves behind."""
    return figure > bound and not math.isclose(figure, bound)


def _wanted_mbps(design: Design, plan: CheckpointPlan) -> float:
    """What the file system must move, no less than now: one figure, so that hints do not gainsay each other."""
    workload = design.profile.workload
    target = workload.checkpoint_target_s if workload else None
    times = [target] if target is not None and _is_more(plan.write_s, target) else []
    if plan.intervals and max(plan.intervals.interval_s, plan.intervals.best_s) < plan.write_s:
        # an interval that is longer than the write takes a write of less than about half the time to a failure
        times.append(plan.intervals.mtbf_hours * 3600 / 2)
    return plan.size_gb * 1000 / min(times) if times else plan.write_mbps


@rule(
    "WRK002", WARNING, "the file system holds the checkpoints that are kept, one in flight and the data sets",
    why="A file system that is full truncates the checkpoint that is being written; a fifth stays free.",
    source=_PAGE, reads=_READS,
    where="workload",
)  # fmt: skip
def checkpoints_fit(design: Design) -> Iterator[Finding]:
    """Capacity against what the workload puts on it."""
    plan = design.checkpoints
    capacity = plan.file_system.capacity_gib if plan else None
    if plan is None or capacity is None or not _is_more(plan.needed_gib, capacity):
        return
    needed, there = apart(plan.needed_gib, capacity)
    yield Finding(
        at=("workload", "kept_checkpoints"),
        message=f"{plan.kept} checkpoints of {plan.size_gb:,.0f} GB, one in flight and the data sets take "
        f"{needed} GiB with headroom, the file system {plan.file_system.name} has {there}",
        hint=f"{larger(design, plan, _wanted_mbps(design, plan))}; or keep fewer checkpoints there and export them to S3",
    )


@rule(
    "WRK003", WARNING, "a checkpoint is written before the next one is due",
    why="The machines write more than they train; and what an automatic export sends to S3 falls behind for good, "
    "since the disks that it reads from are never idle.",
    source=_PAGE, reads=_READS,
    where="workload",
)  # fmt: skip
def interval_is_longer_than_the_write(design: Design) -> Iterator[Finding]:
    """The interval, stated or from the failures that are to be expected, against the write time."""
    plan = design.checkpoints
    if plan is None or plan.intervals is None or plan.intervals.interval_s >= plan.write_s:
        return
    intervals = plan.intervals
    takes, due_after = apart(plan.write_s, intervals.interval_s)
    stated = intervals.stated_s is not None
    due = "" if stated else f", with a failure every {intervals.mtbf_hours:,.3g} h,"
    yield Finding(
        at=("workload", "checkpoint_interval_s") if stated else ("workload",),
        message=f"a checkpoint takes {takes} s to write, the next one{due} is due after "
        f"{due_after} s of training",
        hint=f"train {intervals.best_s:,.0f} s between checkpoints, which loses least"
        if intervals.best_s >= plan.write_s
        else faster(design, plan, _wanted_mbps(design, plan)),
    )


@rule(
    "WRK004", NOTE, "recovery from memory or from a replica is used where it loses less",
    why="Saves to a file system and the work done again after a failure cost time on every GPU; HyperPod on EKS can "
    "keep checkpoints in the memory of nodes, or take the state from a replica.",
    source="https://docs.aws.amazon.com/sagemaker/latest/dg/managed-tier-checkpointing-setup.html",
    reads=_READS, where="hyperpod-eks",
)  # fmt: skip
def recovery_loses_least(design: Design) -> Iterator[Finding]:
    """Advice where the plan says that Lustre alone costs much."""
    plan = design.checkpoints
    if plan is None or plan.recovery is None or plan.recovery.way == "lustre":
        return
    hints = {
        "tiered": "save with managed tiered checkpointing, every now and then to Lustre or S3",
        "checkpointless": "train with HyperPod's checkpointless recipes, and save to Lustre less often",
    }
    yield Finding(at=("workload",), message=plan.recovery.because, hint=hints[plan.recovery.way])


@rule(
    "WRK005", WARNING, "experts beyond an NVLink domain exchange tokens over EFA",
    why="Expert parallelism sends every token to its experts and back; over plain IP the GPUs wait for the network.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html", reads="workload compute orchestrator",
    where="workload",
)  # fmt: skip
def experts_have_efa(design: Design) -> Iterator[Finding]:
    """Experts on several nodes without EFA."""
    experts = plan_experts(design.profile.workload, design.groups)
    if experts and experts.over_efa and not experts.efa_gbps:
        yield Finding(
            at=("workload", "experts"),
            message=f"{experts.experts} experts, one on each GPU, go beyond the NVLink domain, "
            f"which has {experts.nvlink_domain_gpus}, and the nodes of {experts.group} have no EFA",
            hint="take a type with EFA, or keep the experts of a layer within a node",
        )
