"""AWS PCS: an update of a node group replaces its instances one by one as their jobs end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scripts.cloudformation.effects import Effect, Topic

from .model import Change, Correct, Correction, older

_UPDATE = "https://docs.aws.amazon.com/pcs/latest/userguide/working-with_cng_update.html"
_VERSION = "https://docs.aws.amazon.com/pcs/latest/userguide/working-with_clusters_version_update.html"

# what changes the nodes themselves: other settings do not touch those that run
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
            reason = "PCS replaces every instance when its jobs have ended; interactive sessions are cut off"
            yield Correction((name,), Effect.INTERRUPTION, reason, _UPDATE, topic=Topic.NODES_REPLACED)
    path = ("ScalingConfiguration", "MaxInstanceCount")
    if told := change.lowered(*path):
        reason = (
            f"nodes above the new maximum are ended ({told[0]:g} to {told[1]:g}); their jobs are queued again"
        )
        yield Correction(path, Effect.INTERRUPTION, reason, _UPDATE, topic=Topic.NODES_REMOVED)


def _scheduler(change: Change) -> Iterator[Correction]:
    was, will = change.sides("Scheduler", "Version")
    if older(change, "Scheduler", "Version"):
        reason = f"Slurm is only upgraded: {was} to {will}"
        yield Correction(("Scheduler", "Version"), Effect.REFUSED, reason, _VERSION)


CORRECTIONS: Mapping[str, tuple[Correct, ...]] = {
    "AWS::PCS::Cluster": (_scheduler,),
    "AWS::PCS::ComputeNodeGroup": (_nodes,),
}
