"""Rules for the checkpoints of a workload: write time, capacity and recovery."""

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
    why="All GPUs wait while a checkpoint is written.",
    source=_PAGE, reads=_READS,
    where="workload",
)  # fmt: skip
def write_time_is_within_the_target(design: Design) -> Iterator[Finding]:
    """Compare the write time with the target."""
    plan, workload = design.checkpoints, design.profile.workload
    target = workload.checkpoint_target_s if workload else None
    if plan and target is not None and _is_more(plan.write_s, target):
        takes, wanted = apart(plan.write_s, target)
        yield Finding(
            at=("workload", "checkpoint_target_s"),
            message=f"a checkpoint of {plan.size_gb:,.0f} GB takes {takes} s to write at "
            f"{plan.write_mbps:,.0f} MB/s, but the target is {wanted} s",
            hint=faster(design, plan, _wanted_mbps(design, plan)),
        )


def _is_more(figure: float, bound: float) -> bool:
    """Return True if a value is above a limit by more than a rounding error."""
    return figure > bound and not math.isclose(figure, bound)


def _wanted_mbps(design: Design, plan: CheckpointPlan) -> float:
    """Return the required throughput in MB/s, which all hints use; at least the current throughput."""
    workload = design.profile.workload
    target = workload.checkpoint_target_s if workload else None
    times = [target] if target is not None and _is_more(plan.write_s, target) else []
    if plan.intervals and max(plan.intervals.interval_s, plan.intervals.best_s) < plan.write_s:
        # the optimal interval exceeds the write time only if a write needs less than half the time to a failure
        times.append(plan.intervals.mtbf_hours * 3600 / 2)
    return plan.size_gb * 1000 / min(times) if times else plan.write_mbps


@rule(
    "WRK002", WARNING, "the kept checkpoints, the checkpoint that is being written and the datasets fit on the file system",
    why="If the file system is full, the checkpoint that is being written is truncated. The rule keeps one fifth of the capacity "
    "free.",
    source=_PAGE, reads=_READS,
    where="workload",
)  # fmt: skip
def checkpoints_fit(design: Design) -> Iterator[Finding]:
    """Compare the capacity with the data of the workload."""
    plan = design.checkpoints
    capacity = plan.file_system.capacity_gib if plan else None
    if plan is None or capacity is None or not _is_more(plan.needed_gib, capacity):
        return
    needed, there = apart(plan.needed_gib, capacity)
    yield Finding(
        at=("workload", "kept_checkpoints"),
        message=f"{plan.kept} kept checkpoints of {plan.size_gb:,.0f} GB, the checkpoint that is being written and the datasets "
        f"need {needed} GiB with headroom, but the file system {plan.file_system.name} has {there} GiB",
        hint=f"{larger(design, plan, _wanted_mbps(design, plan))}; or reduce `kept_checkpoints` and export older "
        "checkpoints to S3",
    )


@rule(
    "WRK003", WARNING, "a checkpoint is complete before the next checkpoint starts",
    why="Otherwise the nodes write checkpoints for longer than they train. Automatic export to S3 falls behind permanently, "
    "because the disks of the file system are never idle.",
    source=_PAGE, reads=_READS,
    where="workload",
)  # fmt: skip
def interval_is_longer_than_the_write(design: Design) -> Iterator[Finding]:
    """Compare the checkpoint interval with the write time; without a declared interval, the optimal one."""
    plan = design.checkpoints
    if plan is None or plan.intervals is None or plan.intervals.interval_s >= plan.write_s:
        return
    intervals = plan.intervals
    takes, due_after = apart(plan.write_s, intervals.interval_s)
    declared = intervals.stated_s is not None
    due = "" if declared else f", with a failure every {intervals.mtbf_hours:,.3g} h,"
    yield Finding(
        at=("workload", "checkpoint_interval_s") if declared else ("workload",),
        message=f"a checkpoint takes {takes} s to write, but the next checkpoint{due} is due after {due_after} s of training",
        hint=f"set `checkpoint_interval_s: {intervals.best_s:.0f}`, the optimal interval"
        if intervals.best_s >= plan.write_s
        else faster(design, plan, _wanted_mbps(design, plan)),
    )


@rule(
    "WRK004", NOTE, "recovery from memory or from a replica is used if it loses less time",
    why="Saves to a file system and repeated work after a failure cost time on every GPU. HyperPod with EKS can store "
    "checkpoints in the memory of nodes, or restore the state from a replica.",
    source="https://docs.aws.amazon.com/sagemaker/latest/dg/managed-tier-checkpointing-setup.html",
    reads=_READS, where="hyperpod-eks",
)  # fmt: skip
def recovery_loses_least(design: Design) -> Iterator[Finding]:
    """Recommend another recovery method if saves to Lustre are slow."""
    plan = design.checkpoints
    if plan is None or plan.recovery is None or plan.recovery.way == "lustre":
        return
    hints = {
        "tiered": "use managed tiered checkpointing, and save to Lustre or S3 less often",
        "checkpointless": "use HyperPod's checkpointless training recipes, and save to Lustre less often",
    }
    yield Finding(at=("workload",), message=plan.recovery.because, hint=hints[plan.recovery.way])


@rule(
    "WRK005", WARNING, "experts beyond an NVLink domain exchange tokens over EFA",
    why="With expert parallelism, GPUs send each token to the GPUs of its experts and back. Without EFA, the GPUs wait for the "
    "network.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html", reads="workload compute orchestrator",
    where="workload",
)  # fmt: skip
def experts_have_efa(design: Design) -> Iterator[Finding]:
    """Report expert groups that use several nodes without EFA."""
    experts = plan_experts(design.profile.workload, design.groups)
    if experts and experts.over_efa and not experts.efa_gbps:
        yield Finding(
            at=("workload", "experts"),
            message=f"the {experts.experts} experts are on {experts.gpus} GPUs, but an NVLink domain has only "
            f"{experts.nvlink_domain_gpus} GPU{'s' if experts.nvlink_domain_gpus > 1 else ''}, and the nodes of group {experts.group} do not have EFA",
            hint="set `instance_type` to a type with EFA, or place the experts of a layer within one node",
        )
