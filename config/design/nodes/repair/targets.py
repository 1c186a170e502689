"""The repair policy in the terms of each control plane, with the actions that it does not support."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from config.catalog import catalog
from config.design.capacity.groups import GroupPlan
from config.design.nodes.repair.policy import Action, Condition, RepairPolicy

Target = Literal["hyperpod-slurm", "pcs", "eks", "karpenter", "hyperpod-eks"]
TARGETS: tuple[Target, ...] = ("hyperpod-slurm", "pcs", "eks", "karpenter", "hyperpod-eks")
CHECKED = (
    "gpu-missing",
    "driver-silent",
    "row-remap-failure",
    "row-remap-pending",
    "recovery-action",
    "nvlink-fabric",
    "nvlink-down",
    "efa-missing",
)
"""Conditions that the node check detects."""
_SCRIPT: Mapping[Action, str] = {
    "reset": "reboot",
    "reboot": "reboot",
    "replace": "replace",
    "report": "look",
}
_EKS: Mapping[Action, str] = {
    "reset": "Reboot",
    "reboot": "Reboot",
    "replace": "Replace",
    "report": "NoAction",
}
HYPERPOD_REASONS: Mapping[str, str] = {"reboot": "Action:Reboot", "replace": "Action:Replace"}
"""Reasons of a failed state that cause HyperPod to reboot or replace a node; each must match exactly
(https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-resiliency-slurm.html)."""
HYPERPOD_LABEL = "sagemaker.amazonaws.com/node-health-status"
HYPERPOD_LABELS: Mapping[str, str] = {
    "reboot": "UnschedulablePendingReboot",
    "replace": "UnschedulablePendingReplacement",
}
"""Values of the label that request a repair by HyperPod."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """The action for a condition on a control plane; `why` has the reason if `done` is None (no action)."""

    condition: str
    target: Target
    done: str | None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EksOverride:
    """The EKS repair action for a reason of a node condition."""

    condition: str
    reason: str
    action: str
    wait_minutes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KarpenterRepair:
    """Whether Karpenter's node repair (feature gate NodeRepair) is enabled, and why."""

    enabled: bool
    why: str


def script_cures(policy: RepairPolicy) -> str:
    """Return the action of the node check for each condition: `reboot`, `replace` or `look`."""
    return " ".join(f"{name}={_SCRIPT[policy.action(name)]}" for name in CHECKED)


def script_repair(
    policy: RepairPolicy, kind: str, groups: Sequence[GroupPlan], *, repaired: bool
) -> dict[str, str]:
    """Return the repair settings of node scripts.

    `repaired`: the service acts on a node that Slurm reports as failed. When Slurm reboots a PCS node, PCS
    keeps the instance (https://docs.aws.amazon.com/pcs/latest/userguide/slurm-reboot.html). PCS does not
    offer a replacement through Slurm.
    """
    by = "hyperpod" if repaired else "slurm" if kind == "pcs" else "none"
    return {
        "REPAIR": by,
        "CURES": script_cures(policy),
        "REPAIRS_AT_ONCE": str(policy.max_nodes_at_once),
        "NO_REPAIR_AFTER": " ".join(_last_repairs(policy, groups)),
    }


def _last_repairs(policy: RepairPolicy, groups: Sequence[GroupPlan]) -> Iterator[str]:
    """Yield `TYPE=TIME` for each instance type; nodes of the type are not repaired after this time."""
    ends: dict[str, float] = {}
    for group in groups:
        if group.window is not None and group.window.end is not None:
            last = (group.window.end - timedelta(hours=policy.none_in_last_hours)).timestamp()
            name = group.instance_type.name
            ends[name] = min(last, ends.get(name, last))
    yield from (f"{name}={last:.0f}" for name, last in sorted(ends.items()))


def eks_overrides(policy: RepairPolicy, *, scarce: bool) -> tuple[EksOverride, ...]:
    """Return the repair actions of node groups that differ from the EKS defaults.

    `scarce`: EC2 may not have a replacement instance, so a node is rebooted instead of replaced, unless the
    profile sets `replace`. Other groups use the EKS defaults, except for actions in the profile.
    """
    found = []
    for condition in policy.conditions.values():
        if not scarce and condition.name not in policy.declared:
            continue
        for kind, reason in condition.reasons:
            found.append(
                EksOverride(
                    condition=kind,
                    reason=reason,
                    action=_eks_action(condition, policy),
                    wait_minutes=catalog().eks.accelerator_wait_minutes,
                )
            )
    return tuple(sorted(found, key=lambda one: (one.condition, one.reason)))


def _eks_action(condition: Condition, policy: RepairPolicy) -> str:
    if condition.idle and condition.name not in policy.declared:
        return _EKS["report"]
    if condition.action == "replace" and condition.name not in policy.declared:
        return _EKS["reboot"]
    return _EKS[condition.action]


def _eks_why(condition: Condition, policy: RepairPolicy) -> str:
    if condition.name in policy.declared:
        return ""
    if condition.idle:
        return "EKS does not wait until a node is idle"
    if condition.action == "replace":
        return "EC2 may not have another instance: replace the node manually, or set `replace` in `actions`"
    return ""


def karpenter_repair(policy: RepairPolicy) -> KarpenterRepair:
    """Return whether Karpenter repairs nodes: it replaces a node for any fault.

    Karpenter 1.14 and earlier cannot reboot a node or select faults; 1.15 adds the feature gate
    RebootForRepair (https://docs.aws.amazon.com/eks/latest/userguide/node-repair.html).
    """
    others = [
        one.name
        for one in policy.conditions.values()
        if one.reasons and (one.action != "replace" or one.name not in policy.declared)
    ]
    if others:
        return KarpenterRepair(
            enabled=False,
            why="Karpenter 1.14 replaces a node for every GPU fault and cannot reboot it;"
            f" {len(others)} conditions need another action",
        )
    return KarpenterRepair(
        enabled=True, why="the policy replaces a node for every GPU fault that EKS reports"
    )


def compiled(policy: RepairPolicy, targets: Iterable[Target] = TARGETS) -> tuple[Compiled, ...]:
    """Return each condition on each control plane."""
    return tuple(_compiled(one, target, policy) for one in policy.conditions.values() for target in targets)


def _compiled(condition: Condition, target: Target, policy: RepairPolicy) -> Compiled:
    if condition.action == "report":
        done: str | None = "alert only"
        why = ""
    elif target in ("hyperpod-slurm", "pcs"):
        done, why = _by_slurm(condition, target)
    else:
        done, why = _by_kubernetes(condition, target, policy)
    return Compiled(condition=condition.name, target=target, done=done, why=why)


def _by_slurm(condition: Condition, target: Target) -> tuple[str | None, str]:
    if condition.name not in CHECKED:
        if target == "hyperpod-slurm":
            return None, "HyperPod's health monitoring agent selects the action"
        return None, "the node check does not read XIDs; it detects their effects"
    word = _SCRIPT[condition.action]
    if target == "hyperpod-slurm":
        return f"state fail, reason {HYPERPOD_REASONS[word]}", ""
    if word == "replace":
        return "drained", "Slurm on PCS cannot request a replacement: terminate the instance"
    return "drained, then scontrol reboot", ""


def _by_kubernetes(condition: Condition, target: Target, policy: RepairPolicy) -> tuple[str | None, str]:
    if target == "hyperpod-eks":
        word = HYPERPOD_LABELS[_SCRIPT[condition.action]]
        return None, (
            f"HyperPod's health monitoring agent selects the action; manually: label {HYPERPOD_LABEL}={word}"
        )
    if not condition.reasons:
        return None, "the node monitoring agent does not report it"
    if target == "eks":
        return _eks_action(condition, policy), _eks_why(condition, policy)
    repair = karpenter_repair(policy)
    return ("replaced" if repair.enabled else None), repair.why
