"""The one policy of repair: what is done about which fault, after how long, and when nothing is done."""

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
"""Checks on end that have to find a fault, five minutes apart, before a machine is given up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A fault by name, and what is done about it.

    `wait_s`: how long it holds before anything is done. `again`: what is done when it comes again within a
    day of its repair; None: the same. `idle`: nothing is done before the node is idle. `reasons` are EKS's
    words for it, as its node monitoring agent writes them, by the condition of the node. `alerts` tell of it.
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
    """The conditions by name, and the bounds within which they are acted on.

    `stated`: conditions whose action the profile itself names.
    """

    conditions: Mapping[str, Condition] = field(hash=False)
    stated: frozenset[str]
    max_nodes_at_once: int
    none_in_last_hours: int

    def action(self, name: str) -> Action:
        """What is done about a condition; one that nobody knows is reported."""
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
        meaning="a GPU is gone from the bus, or the driver sees fewer than there are",
        action="reboot",
        wait_s=CHECKS * 5 * MINUTE,
        again="replace",
        alerts=("GpuMissing",),
    ),
    Condition(
        name="driver-silent",
        meaning="the driver does not answer",
        action="reboot",
        wait_s=CHECKS * 5 * MINUTE,
        again="replace",
        alerts=("GpuProblems",),
    ),
    Condition(
        name="row-remap-failure",
        meaning="a row of a GPU's memory could not be remapped",
        action="replace",
        wait_s=CHECKS * 5 * MINUTE,
        alerts=("GpuRowRemapFailure",),
    ),
    Condition(
        name="row-remap-pending",
        meaning="a remapped row waits for a reset",
        action="reset",
        wait_s=CHECKS * 5 * MINUTE,
        again="replace",
        idle=True,
        alerts=("GpuRowRemapPending",),
    ),
    Condition(
        name="recovery-action",
        meaning="the driver itself asks for a reset or a reboot",
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
        meaning="memory of a GPU had an error that could not be corrected",
        action="reset",
        wait_s=CHECKS * 5 * MINUTE,
        again="replace",
        reasons=((_ACCELERATOR, "NvidiaDoubleBitError"),),
        alerts=("GpuEccDoubleBit",),
    ),
    Condition(
        name="efa-missing",
        meaning="EFA devices are gone, or not active",
        action="report",
        alerts=("EfaMissing",),
    ),
    Condition(
        name="storage-failed",
        meaning="a file system does not answer, or goes over TCP",
        action="report",
        alerts=("LustreUnhealthy",),
    ),
    Condition(
        name="node-lost",
        meaning="nothing is heard of the node",
        action="report",
        wait_s=5 * MINUTE,
        alerts=("NodeLost",),
    ),
)


@cache
def default_conditions() -> Mapping[str, Condition]:
    """Every condition by its name: those of checks, then one for each XID."""
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
    """The policy of a profile, which may say nothing of it."""
    return plan_policy(profile.observability.repair if profile.observability else Repair())


def plan_policy(wanted: Repair) -> RepairPolicy:
    """The policy of a profile: its own actions over those that are the default."""
    conditions = dict(default_conditions())
    for name, step in wanted.actions.items():
        if name in conditions:
            action: Action = "report" if step == "none" else step
            conditions[name] = replace(conditions[name], action=action, again=None)
    return RepairPolicy(
        conditions=conditions,
        stated=frozenset(wanted.actions) & conditions.keys(),
        max_nodes_at_once=wanted.max_nodes_at_once,
        none_in_last_hours=wanted.none_in_last_hours,
    )
