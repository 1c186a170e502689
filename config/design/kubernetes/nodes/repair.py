"""Node repair of EKS: actions for unhealthy nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from config.design.capacity.groups import GroupPlan
from config.design.nodes.repair.policy import RepairPolicy
from config.design.nodes.repair.targets import EksOverride, eks_overrides
from config.profile.kubernetes.eks import NodeCondition, NodeRepair, RepairAction, RepairOverride

_CONDITIONS: Mapping[NodeCondition, str] = {
    "accelerated-hardware": "AcceleratedHardwareReady",
    "container-runtime": "ContainerRuntimeReady",
    "kernel": "KernelReady",
    "networking": "NetworkingReady",
    "storage": "StorageReady",
}
_ACTIONS: Mapping[RepairAction, str] = {"replace": "Replace", "reboot": "Reboot", "none": "NoAction"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairOverridePlan:
    """EKS repair action for one reason of a node condition."""

    condition: str
    reason: str
    action: str
    wait_minutes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairPlan:
    """Repair of the nodes of one group; `max_unhealthy` is None for EKS's default."""

    max_parallel: int
    max_unhealthy: int | None
    overrides: tuple[RepairOverridePlan, ...]


def plan_repair(group: GroupPlan, settings: NodeRepair, policy: RepairPolicy) -> RepairPlan | None:
    """Return the repair of a group by the policy; None if the profile disables it.

    If EKS terminates a GPU node, another customer may get its capacity, and the reservation may have no other
    instance. GPU nodes are therefore rebooted, unless the profile sets another action.
    """
    if not settings.enabled:
        return None
    scarce = group.instance_type.is_gpu and not group.purchase.interruptible
    own = map(_from_policy, eks_overrides(policy, scarce=scarce) if group.instance_type.is_gpu else ())
    overrides = {(one.condition, one.reason): one for one in (*own, *map(_from_profile, settings.overrides))}
    named = "max_parallel" in settings.model_fields_set
    return RepairPlan(
        max_parallel=settings.max_parallel if named else policy.max_nodes_at_once,
        max_unhealthy=settings.max_unhealthy,
        overrides=tuple(one for _, one in sorted(overrides.items())),
    )


def _from_policy(override: EksOverride) -> RepairOverridePlan:
    return RepairOverridePlan(
        condition=override.condition,
        reason=override.reason,
        action=override.action,
        wait_minutes=override.wait_minutes,
    )


def _from_profile(override: RepairOverride) -> RepairOverridePlan:
    return RepairOverridePlan(
        condition=_CONDITIONS[override.condition],
        reason=override.reason,
        action=_ACTIONS[override.action],
        wait_minutes=override.wait_minutes,
    )
