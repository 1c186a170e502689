"""The policy in the words of each control plane, and what none of them can say."""

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
"""Conditions that the check of nodes finds by itself."""
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
"""Reasons of a failed node that HyperPod goes by, to the letter
(https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-resiliency-slurm.html)."""
HYPERPOD_LABEL = "sagemaker.amazonaws.com/node-health-status"
HYPERPOD_LABELS: Mapping[str, str] = {
    "reboot": "UnschedulablePendingReboot",
    "replace": "UnschedulablePendingReplacement",
}
"""Values of that label by which somebody has a node repaired."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """One condition on one control plane: `done` in its own words, or None and `why` not."""

    condition: str
    target: Target
    done: str | None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EksOverride:
    """What EKS does for one reason of one condition of a node."""

    condition: str
    reason: str
    action: str
    wait_minutes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KarpenterRepair:
    """Whether Karpenter's own repair is on (its feature gate NodeRepair), and why."""

    enabled: bool
    why: str


def script_cures(policy: RepairPolicy) -> str:
    """What the check of a node does about what it finds: reboot, replace, or look."""
    return " ".join(f"{name}={_SCRIPT[policy.action(name)]}" for name in CHECKED)


def script_repair(
    policy: RepairPolicy, kind: str, groups: Sequence[GroupPlan], *, repaired: bool
) -> dict[str, str]:
    """Settings of node scripts.

    `repaired`: the service acts on a node that Slurm says has failed. PCS keeps the instance when Slurm
    reboots it (https://docs.aws.amazon.com/pcs/latest/userguide/slurm-reboot.html), and has nothing like it
    for another machine.
    """
    by = "hyperpod" if repaired else "slurm" if kind == "pcs" else "none"
    return {
        "REPAIR": by,
        "CURES": script_cures(policy),
        "REPAIRS_AT_ONCE": str(policy.max_nodes_at_once),
        "NO_REPAIR_AFTER": " ".join(_last_repairs(policy, groups)),
    }


def _last_repairs(policy: RepairPolicy, groups: Sequence[GroupPlan]) -> Iterator[str]:
    """Of each type the moment after which nothing is repaired any more; the earliest of its groups."""
    ends: dict[str, float] = {}
    for group in groups:
        if group.window is not None and group.window.end is not None:
            last = (group.window.end - timedelta(hours=policy.none_in_last_hours)).timestamp()
            name = group.instance_type.name
            ends[name] = min(last, ends.get(name, last))
    yield from (f"{name}={last:.0f}" for name, last in sorted(ends.items()))


def eks_overrides(policy: RepairPolicy, *, scarce: bool) -> tuple[EksOverride, ...]:
    """What node groups do in the place of what EKS does by itself.

    `scarce`: machines that may not come back when they are ended, so that a node is rebooted where it would
    be replaced, unless the profile itself says replace. Others are left to EKS, save what a profile names.
    """
    found = []
    for condition in policy.conditions.values():
        if not scarce and condition.name not in policy.stated:
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
    if condition.idle and condition.name not in policy.stated:
        return _EKS["report"]
    if condition.action == "replace" and condition.name not in policy.stated:
        return _EKS["reboot"]
    return _EKS[condition.action]


def _eks_why(condition: Condition, policy: RepairPolicy) -> str:
    if condition.name in policy.stated:
        return ""
    if condition.idle:
        return "EKS does not wait until a node is idle"
    if condition.action == "replace":
        return "a machine that is ended may not come back: replace it by hand, or say replace in `actions`"
    return ""


def karpenter_repair(policy: RepairPolicy) -> KarpenterRepair:
    """Karpenter replaces a node for any fault, or is left out of it.

    Up to 1.14 it knows no reboot and no single reasons: the gate RebootForRepair comes with 1.15
    (https://docs.aws.amazon.com/eks/latest/userguide/node-repair.html).
    """
    others = [
        one.name
        for one in policy.conditions.values()
        if one.reasons and (one.action != "replace" or one.name not in policy.stated)
    ]
    if others:
        return KarpenterRepair(
            enabled=False,
            why="Karpenter 1.14 replaces a node for every fault of GPUs and cannot reboot one;"
            f" {len(others)} conditions want something else",
        )
    return KarpenterRepair(enabled=True, why="every fault of GPUs that EKS reports is to be replaced")


def compiled(policy: RepairPolicy, targets: Iterable[Target] = TARGETS) -> tuple[Compiled, ...]:
    """Every condition on every control plane, for a page or a plan."""
    return tuple(_compiled(one, target, policy) for one in policy.conditions.values() for target in targets)


def _compiled(condition: Condition, target: Target, policy: RepairPolicy) -> Compiled:
    if condition.action == "report":
        done: str | None = "told alone"
        why = ""
    elif target in ("hyperpod-slurm", "pcs"):
        done, why = _by_slurm(condition, target)
    else:
        done, why = _by_kubernetes(condition, target, policy)
    return Compiled(condition=condition.name, target=target, done=done, why=why)


def _by_slurm(condition: Condition, target: Target) -> tuple[str | None, str]:
    if condition.name not in CHECKED:
        if target == "hyperpod-slurm":
            return None, "HyperPod's health agent decides by itself"
        return None, "nothing on the node goes by XIDs; what they leave behind is found by the check"
    word = _SCRIPT[condition.action]
    if target == "hyperpod-slurm":
        return f"state fail, reason {HYPERPOD_REASONS[word]}", ""
    if word == "replace":
        return "drained", "PCS has no word of Slurm for another machine: end the instance"
    return "drained, then scontrol reboot", ""


def _by_kubernetes(condition: Condition, target: Target, policy: RepairPolicy) -> tuple[str | None, str]:
    if target == "hyperpod-eks":
        word = HYPERPOD_LABELS[_SCRIPT[condition.action]]
        return None, f"HyperPod's health agent decides by itself; by hand: label {HYPERPOD_LABEL}={word}"
    if not condition.reasons:
        return None, "the node monitoring agent does not report it"
    if target == "eks":
        return _eks_action(condition, policy), _eks_why(condition, policy)
    repair = karpenter_repair(policy)
    return ("replaced" if repair.enabled else None), repair.why
