"""Repair policy: the action for each fault, its delay, and the limits of repair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from config.catalog import catalog
from config.catalog.observability.xids import xids
from config.profile.model import Profile
from config.profile.observability.alerts import Repair

Action = Literal["reset", "reboot", "replace", "report"]

MINUTE = 60
CHECKS = 3
"""Consecutive checks, at intervals of five minutes, that must find a fault before a node is repaired."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A fault by name, and its repair action.

    `wait_s`: seconds that the fault must last before the action. `again`: action if the fault occurs again
    within a day after the repair; None for the same action. `idle`: the action waits until the node is idle.
    `reasons`: pairs of node condition and reason that the EKS node monitoring agent reports. `alerts`: names
    of the alerts for the fault.
    """

    name: str
    meaning: str
    action: Action
    wait_s: int = 0
    again: Action | None = None
    idle: bool = False
    reasons: tuple[tuple[str, str], ...] = ()
    alerts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairPolicy:
    """The conditions by name, and the limits of repair.

    `declared`: conditions whose action is set in the profile.
    """

    conditions: Mapping[str, Condition] = field(hash=False)
    declared: frozenset[str]
    max_nodes_at_once: int
    none_in_last_hours: int

    def action(self, name: str) -> Action:
        """Return the action for a condition; `report` for an unknown condition."""
        found = self.conditions.get(name)
        return found.action if found else "report"


_ACCELERATOR = "AcceleratedHardwareReady"
_ALERTS: Mapping[tuple[str, str], str] = {
    ("replace", "critical"): "GpuXidReplace",
    ("reboot", "critical"): "GpuXidReboot",
    ("reset", "critical"): "GpuXidReset",
    ("reset", "warning"): "GpuXidResetLater",
    ("report", "warning"): "GpuXidReport",
    ("report", "info"): "GpuXidNoted",
}
_CHECKS = (
    Condition(
        name="gpu-missing",
        meaning="a GPU is missing on the PCI bus, or the driver finds fewer GPUs than the instance type has",
        action="reboot",
        wait_s=CHECKS * 5 * MINUTE,
        again="replace",
        alerts=("GpuMissing",),
    ),
    Condition(
        name="driver-silent",
        meaning="the GPU driver does not respond",
        action="reboot",
        wait_s=CHECKS * 5 * MINUTE,
        again="replace",
        alerts=("GpuProblems",),
    ),
    Condition(
        name="row-remap-failure",
        meaning="a GPU could not remap a memory row",
        action="replace",
        wait_s=CHECKS * 5 * MINUTE,
        alerts=("GpuRowRemapFailure",),
    ),
    Condition(
        name="row-remap-pending",
        meaning="a remapped memory row needs a GPU reset",
        action="reset",
        wait_s=CHECKS * 5 * MINUTE,
        again="replace",
        idle=True,
        alerts=("GpuRowRemapPending",),
    ),
    Condition(
        name="recovery-action",
        meaning="the GPU driver recommends a reset or a reboot",
        action="reboot",
        wait_s=CHECKS * 5 * MINUTE,
        again="replace",
        alerts=("GpuNeedsReset", "GpuNeedsReboot"),
    ),
    Condition(
        name="nvlink-fabric",
        meaning="a GPU is not part of the NVLink fabric",
        action="reset",
        wait_s=CHECKS * 5 * MINUTE,
        again="replace",
        alerts=("GpuFabricUnhealthy",),
    ),
    Condition(
        name="nvlink-down",
        meaning="NVLinks of a GPU are inactive",
        action="reset",
        wait_s=CHECKS * 5 * MINUTE,
        again="replace",
        reasons=((_ACCELERATOR, "NvidiaNVLinkError"),),
        alerts=("GpuProblems",),
    ),
    Condition(
        name="double-bit-error",
        meaning="GPU memory had an uncorrectable error",
        action="reset",
        wait_s=CHECKS * 5 * MINUTE,
        again="replace",
        reasons=((_ACCELERATOR, "NvidiaDoubleBitError"),),
        alerts=("GpuEccDoubleBit",),
    ),
    Condition(
        name="efa-missing",
        meaning="EFA devices are missing or not active",
        action="report",
        alerts=("EfaMissing",),
    ),
    Condition(
        name="storage-failed",
        meaning="a file system does not respond, or its traffic uses TCP",
        action="report",
        alerts=("LustreUnhealthy",),
    ),
    Condition(
        name="node-lost",
        meaning="the node does not report",
        action="report",
        wait_s=5 * MINUTE,
        alerts=("NodeLost",),
    ),
)


@cache
def default_conditions() -> Mapping[str, Condition]:
    """Return all conditions by name: those of the node checks, then one for each XID."""
    return {one.name: one for one in (*_CHECKS, *_of_xids())}


def _of_xids() -> tuple[Condition, ...]:
    wait_s = catalog().eks.accelerator_wait_minutes * MINUTE
    found = []
    for code, row in xids().rows.items():
        reason = ((_ACCELERATOR, f"NvidiaXID{code}Error"),) if code in xids().unfit else ()
        acted = row.action != "report"
        found.append(
            Condition(
                name=f"xid-{code}",
                meaning=f"XID {code}: {row.meaning}",
                action=row.action,
                wait_s=wait_s if acted else 0,
                again="replace" if acted and row.severity == "critical" and row.action != "replace" else None,
                idle=row.action == "reset" and row.severity == "warning",
                reasons=reason,
                alerts=(_ALERTS[row.action, row.severity],),
            )
        )
    return tuple(found)


def policy_of(profile: Profile) -> RepairPolicy:
    """Return the repair policy of a profile, or the default policy."""
    return plan_policy(profile.observability.repair if profile.observability else Repair())


def plan_policy(wanted: Repair) -> RepairPolicy:
    """Return the default policy with the profile's actions and limits."""
    conditions = dict(default_conditions())
    for name, step in wanted.actions.items():
        if name in conditions:
            action: Action = "report" if step == "none" else step
            conditions[name] = replace(conditions[name], action=action, again=None)
    return RepairPolicy(
        conditions=conditions,
        declared=frozenset(wanted.actions) & conditions.keys(),
        max_nodes_at_once=wanted.max_nodes_at_once,
        none_in_last_hours=wanted.none_in_last_hours,
    )
