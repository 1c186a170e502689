"""Corrections for SageMaker HyperPod: groups match by name, and many group settings are fixed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scripts.cloud.template.effects import Effect, Topic

from .model import Change, Correct, Correction

_GUIDE = "https://docs.aws.amazon.com/sagemaker/latest/dg/"
_UPDATE = f"{_GUIDE}sagemaker-hyperpod-eks-operate-cli-command-update-cluster.html"
_SLURM = f"{_GUIDE}sagemaker-hyperpod-ref.html"
_MIGRATION = f"{_GUIDE}sagemaker-hyperpod-slurm-api-config-migration.html"
_NETWORK = f"{_GUIDE}sagemaker-hyperpod-prerequisites.html"
_SCRIPTS = f"{_GUIDE}sagemaker-hyperpod-lifecycle-best-practices-slurm.html"
_SOFTWARE = f"{_GUIDE}sagemaker-hyperpod-operate-cli-command-update-cluster-software.html"
_CONTINUOUS = f"{_GUIDE}sagemaker-hyperpod-scaling-slurm.html"
_DATABASE = f"{_GUIDE}sagemaker-hyperpod-external-accounting-db-slurm.html"
_API = "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_UpdateCluster.html"
_SCALE_DOWN = "https://github.com/awslabs/awsome-distributed-ai/pull/1011"  # HYPERPOD-18
_CLEAN_UP = (
    "stop all jobs, then run on the controller `sudo systemctl disable --now ultracluster-health.timer`, "
    r"`sudo sed -i -E '/^(Prolog|Epilog)=\/opt\/ultracluster\//d' /opt/slurm/etc/slurm.conf`, "
    "`sudo scontrol reconfigure`; replace the other nodes, or disable the timer on each of them"
)
_LISTS = ("InstanceGroups", "RestrictedInstanceGroups")
_RENAME = "rename the group; HyperPod creates a new group and deletes the old group with its nodes"

# property of an instance group, why it is fixed, source
_FIXED = (
    (("SlurmConfig", "NodeType"), "the Slurm node type of a group is fixed", _SLURM),
    (("OverrideVpcConfig",), "the network of a group is fixed", _NETWORK),
    (("InstanceType",), "an update cannot change the instance type of a group", _UPDATE),
    (
        ("InstanceRequirements",),
        "an update cannot change the instance types of a group",
        _UPDATE,
    ),
    (("ThreadsPerCore",), "an update cannot change the threads per core of a group", _UPDATE),
    (("ExecutionRole",), "an update cannot change the role of a group", _UPDATE),
)
_SOFTWARE_PROPERTIES = ("ImageId", "ImageReleaseVersion")


def _groups(change: Change) -> Iterator[tuple[str, str]]:
    """Yield the list property and the name of each group that exists before and after the change."""
    for listed in _LISTS:
        was, will = (_names(side) for side in change.sides(listed))
        for name in sorted(was & will):
            yield listed, name


def _names(groups: Any) -> set[str]:
    if not isinstance(groups, list):
        return set()
    return {str(group.get("InstanceGroupName")) for group in groups if isinstance(group, dict)}


def _fixed_in_groups(change: Change) -> Iterator[Correction]:
    for listed, name in _groups(change):
        for path, reason, source in _FIXED:
            # a value that the service chose cannot be compared with a value that is set now
            was, will = change.sides(listed, name, *path)
            if was != will and (was is not None or path == ("OverrideVpcConfig",)):
                yield Correction((listed, name, *path), Effect.REFUSED, reason, source, _RENAME)


def _nodes(change: Change) -> Iterator[Correction]:
    for listed, name in _groups(change):
        here = (listed, name)
        if lowered := change.lowered(*here, "InstanceCount"):
            fewer = lowered[0] - lowered[1]
            reason = f"HyperPod deletes {fewer:g} of {lowered[0]:g} nodes, and selects these nodes itself"
            hint = "first remove the nodes that you do not need with BatchDeleteClusterNodes"
            yield Correction(
                (*here, "InstanceCount"), Effect.INTERRUPTION, reason, _SCALE_DOWN, hint, Topic.NODES_REMOVED
            )
        for prop in _SOFTWARE_PROPERTIES:
            if change.differs(*here, prop):
                reason = "UpdateClusterSoftware rewrites the root volume of every node"
                yield Correction(
                    (*here, prop), Effect.INTERRUPTION, reason, _SOFTWARE, topic=Topic.NODES_REPLACED
                )
        left = _left_behind(change, here)
        if left is not None:
            yield left
        for prop, source in (("InstanceStorageConfigs", _SLURM), ("LifeCycleConfig", _SCRIPTS)):
            if change.differs(*here, prop) and not (left and prop == "LifeCycleConfig"):
                reason = "only new nodes use the new setting; running nodes keep the old one until replaced"
                yield Correction((*here, prop), Effect.IN_PLACE, reason, source, topic=Topic.NEW_NODES_ONLY)


def _left_behind(change: Change, here: tuple[str, str]) -> Correction | None:
    """Return a warning if OnInitComplete is removed: the controller keeps what its scripts wrote."""
    path = (*here, "LifeCycleConfig")
    was, will = change.sides(*path, "OnInitComplete")
    if not was or will or "Controller" not in change.sides(*here, "SlurmConfig", "NodeType"):
        return None
    reason = (
        "running nodes keep the files that the scripts wrote; slurm.conf on the controller still sets Prolog "
        "and Epilog to files that new nodes do not have"
    )
    return Correction(path, Effect.IN_PLACE, reason, _SCRIPTS, _CLEAN_UP, Topic.LEFT_BEHIND)


def _removed_groups(change: Change) -> Iterator[Correction]:
    for listed in _LISTS:
        was, will = (_names(side) for side in change.sides(listed))
        for name in sorted(was - will):
            count = change.sides(listed, name, "InstanceCount")[0]
            reason = f"HyperPod deletes the group and its nodes ({count})"
            yield Correction((listed, name), Effect.INTERRUPTION, reason, _API, topic=Topic.NODES_REMOVED)


def _one_way(change: Change) -> Iterator[Correction]:
    path = ("Orchestrator", "Slurm", "AccountingDatabase")
    if change.differs(*path) and change.sides(*path)[0] is not None:
        yield Correction(path, Effect.REFUSED, "an accounting database cannot be detached", _DATABASE)
    slurm = change.sides("Orchestrator", "Slurm")[1] is not None
    if slurm and change.differs("NodeProvisioningMode"):
        reason = "a Slurm cluster cannot change its provisioning mode"
        yield Correction(("NodeProvisioningMode",), Effect.REFUSED, reason, _CONTINUOUS)
    if change.differs("ClusterRole") and change.sides("AutoScaling", "Mode")[0] == "Enable":
        yield Correction(("ClusterRole",), Effect.REFUSED, "fixed while autoscaling is on", _API)
    for listed, name in _groups(change):
        was, will = change.sides(listed, name, "SlurmConfig")
        if was and not will:
            reason = "a cluster cannot leave the API-driven Slurm configuration"
            yield Correction((listed, name, "SlurmConfig"), Effect.REFUSED, reason, _MIGRATION)


CORRECTIONS: Mapping[str, tuple[Correct, ...]] = {
    "AWS::SageMaker::Cluster": (_fixed_in_groups, _nodes, _removed_groups, _one_way),
}
