"""What EKS does about nodes that are not well."""

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
    """What is done for one reason of one condition, in EKS's own words."""

    condition: str
    reason: str
    action: str
    wait_minutes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairPlan:
    """How nodes of one group are repaired; `max_unhealthy` None: as EKS does by itself."""

    max_parallel: int
    max_unhealthy: int | None
    overrides: tuple[RepairOverridePlan, ...]


def plan_repair(group: GroupPlan, stated: NodeRepair, policy: RepairPolicy) -> RepairPlan | None:
    """The repair of a group, as the policy has it; None where the profile turns it off.

    A GPU node that EKS ends may not come back: its machine is given to somebody else, or the reservation has
    no other one. So such nodes are rebooted, unless the profile says otherwise.
    """
    if not stated.enabled:
        return None
    scarce = group.instance_type.is_gpu and not group.purchase.interruptible
    own = map(_of_policy, eks_overrides(policy, scarce=scarce) if group.instance_type.is_gpu else ())
    overrides = {(one.condition, one.reason): one for one in (*own, *map(_stated, stated.overrides))}
    named = "max_parallel" in stated.model_fields_set
    return RepairPlan(
        max_parallel=stated.max_parallel if named else policy.max_nodes_at_once,
        max_unhealthy=stated.max_unhealthy,
        overrides=tuple(one for _, one in sorted(overrides.items())),
    )


def _of_policy(override: EksOverride) -> RepairOverridePlan:
    return RepairOverridePlan(
        condition=override.condition,
        reason=override.reason,
        action=override.action,
        wait_minutes=override.wait_minutes,
    )


def _stated(override: RepairOverride) -> RepairOverridePlan:
    return RepairOverridePlan(
        condition=_CONDITIONS[override.condition],
        reason=override.reason,
        action=_ACTIONS[override.action],
        wait_minutes=override.wait_minutes,
    )
