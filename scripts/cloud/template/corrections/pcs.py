"""Corrections for AWS PCS: an update of a node group replaces each instance after its jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scripts.cloud.template.effects import Effect, Topic

from .model import Change, Correct, Correction, older

_UPDATE = "https://docs.aws.amazon.com/pcs/latest/userguide/working-with_cng_update.html"
_ACCOUNTING = "https://docs.aws.amazon.com/pcs/latest/userguide/slurm-accounting.html"
_PURGE = "https://docs.aws.amazon.com/pcs/latest/APIReference/API_Accounting.html"
_KEPT_FOR_EVER = -1
_SAVE = "first save the records that you need (`sacct --allusers --starttime=...`)"
_VERSION = "https://docs.aws.amazon.com/pcs/latest/userguide/working-with_clusters_version_update.html"

# properties of the nodes themselves; other settings do not affect running nodes
_OF_NODES = (
    "AmiId",
    "CustomLaunchTemplate",
    "IamInstanceProfileArn",
    "NodeLifecycleActions",
    "PurchaseOption",
    "SlurmConfiguration",
)


def _nodes(change: Change) -> Iterator[Correction]:
    for name in _OF_NODES:
        if change.differs(name):
            reason = "PCS replaces every instance after its jobs finish; interactive sessions are interrupted"
            yield Correction((name,), Effect.INTERRUPTION, reason, _UPDATE, topic=Topic.NODES_REPLACED)
    path = ("ScalingConfiguration", "MaxInstanceCount")
    if lowered := change.lowered(*path):
        reason = (
            f"PCS terminates nodes above the new maximum ({lowered[0]:g} to {lowered[1]:g}); their jobs are "
            "queued again"
        )
        hint = (
            "drain the group first (`ultracluster drain`); AWS does not document which nodes PCS terminates"
        )
        yield Correction(path, Effect.INTERRUPTION, reason, _UPDATE, hint, Topic.NODES_REMOVED)


def _scheduler(change: Change) -> Iterator[Correction]:
    was, will = change.sides("Scheduler", "Version")
    if older(change, "Scheduler", "Version"):
        reason = f"Slurm does not support a downgrade from {was} to {will}"
        yield Correction(("Scheduler", "Version"), Effect.REFUSED, reason, _VERSION)


def _accounting(change: Change) -> Iterator[Correction]:
    path = ("SlurmConfiguration", "Accounting")
    was, will = change.sides(*path, "Mode")
    if was != "STANDARD":
        return
    if will != "STANDARD":
        # one page of AWS's guide disables accounting by an update; another requires deletion of the cluster
        reason = (
            "jobs are no longer recorded, and AWS does not document whether PCS keeps the existing "
            "records; according to AWS's accounting page, accounting cannot be disabled"
        )
        hint = f"{_SAVE}, or keep `orchestrator.accounting`"
        yield Correction(path, Effect.IN_PLACE, reason, _ACCOUNTING, hint, Topic.DATA_EXPIRES)
        return
    days = [_days(side) for side in change.sides(*path, "DefaultPurgeTimeInDays")]
    if days[1] < days[0]:
        reason = f"records of jobs older than {days[1]:g} days are deleted"
        hint = f"{_SAVE}, or keep `purge_days`"
        where = (*path, "DefaultPurgeTimeInDays")
        yield Correction(where, Effect.IN_PLACE, reason, _PURGE, hint, Topic.DATA_EXPIRES)


def _days(value: object) -> float:
    """Return the retention of accounting records in days; infinite if it is not set."""
    return float(value) if isinstance(value, int) and value != _KEPT_FOR_EVER else float("inf")


CORRECTIONS: Mapping[str, tuple[Correct, ...]] = {
    "AWS::PCS::Cluster": (_scheduler, _accounting),
    "AWS::PCS::ComputeNodeGroup": (_nodes,),
}
