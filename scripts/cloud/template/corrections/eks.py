"""Corrections for EKS: version upgrades, and updates of launch templates, which replace nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scripts.cloud.template.effects import Effect, Topic

from .model import Change, Correct, Correction, version

_CLUSTER = "https://docs.aws.amazon.com/eks/latest/userguide/update-cluster.html"
_ACCESS = "https://docs.aws.amazon.com/eks/latest/userguide/setting-up-access-entries.html"
_NODES = "https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html"
_VERSION = "https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateNodegroupVersion.html"
_SCALING = "https://docs.aws.amazon.com/eks/latest/APIReference/API_NodegroupScalingConfig.html"
_MODES = ("CONFIG_MAP", "API_AND_CONFIG_MAP", "API")


def _cluster_version(change: Change) -> Iterator[Correction]:
    was, will = change.sides("Version")
    old, new = version(was), version(will)
    if old is None or new is None or old == new:
        return
    if new < old and not change.sides("RollbackConfig")[1]:
        reason = f"Kubernetes does not support a downgrade from {was} to {will}"
        hint = "use a newer version; EKS supports a downgrade only as a rollback with `RollbackConfig`"
        yield Correction(("Version",), Effect.REFUSED, reason, _CLUSTER, hint)
    elif new[0] != old[0] or new[1] > old[1] + 1:
        steps = ", then ".join(f"{old[0]}.{minor}" for minor in range(old[1] + 1, new[1] + 1))
        reason = f"Kubernetes is upgraded one minor version at a time, not from {was} to {will}"
        yield Correction(("Version",), Effect.REFUSED, reason, _CLUSTER, f"deploy {steps}")


def _access(change: Change) -> Iterator[Correction]:
    path = ("AccessConfig", "AuthenticationMode")
    was, will = change.sides(*path)
    if was in _MODES and will in _MODES and _MODES.index(will) < _MODES.index(was):
        reason = f"the authentication mode only changes towards access entries, not from {was} to {will}"
        yield Correction(path, Effect.REFUSED, reason, _ACCESS)


def _node_version(change: Change) -> Iterator[Correction]:
    was, will = change.sides("LaunchTemplate")
    if bool(was) != bool(will):
        reason = "a launch template cannot be added to a node group or removed from it"
        yield Correction(("LaunchTemplate",), Effect.REFUSED, reason, _VERSION)
    for name in ("Id", "Name"):
        if was and will and change.differs("LaunchTemplate", name):
            reason = "an update cannot name another launch template"
            hint = "change the launch template itself; EKS rolls out its next version"
            yield Correction(("LaunchTemplate", name), Effect.REFUSED, reason, _VERSION, hint)
    for path in (("Version",), ("ReleaseVersion",), ("LaunchTemplate", "Version")):
        if change.differs(*path):
            reason = "EKS replaces every node, some at a time"
            yield Correction(path, Effect.INTERRUPTION, reason, _NODES, topic=Topic.NODES_REPLACED)


def _scaling(change: Change) -> Iterator[Correction]:
    for name in ("DesiredSize", "MaxSize"):
        if lowered := change.lowered("ScalingConfig", name):
            reason = (
                f"the maximum falls from {lowered[0]:g} to {lowered[1]:g} nodes, and the Auto Scaling group "
                "selects which nodes to terminate"
            )
            path = ("ScalingConfig", name)
            hint = (
                "first terminate the nodes that you do not need with "
                "TerminateInstanceInAutoScalingGroup, and decrement the desired capacity"
            )
            yield Correction(path, Effect.INTERRUPTION, reason, _SCALING, hint, Topic.NODES_REMOVED)


CORRECTIONS: Mapping[str, tuple[Correct, ...]] = {
    "AWS::EKS::Cluster": (_cluster_version, _access),
    "AWS::EKS::Nodegroup": (_node_version, _scaling),
}
