"""Placement of the scheduler's own pods."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from config.design.capacity.groups import GroupPlan
from config.design.kubernetes.scheduler.labels import GPU_TOLERATION, ROLE_LABEL

_OF_TWO = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Placement on system nodes, or on any node if there are no system nodes."""

    node_selector: dict[str, str] = field(hash=False)
    tolerations: list[dict[str, Any]] = field(hash=False)
    replicas: int


def placement_of(groups: tuple[GroupPlan, ...]) -> Placement:
    """Return the placement, with 2 replicas on 2 or more system nodes, so that 1 node can fail."""
    nodes = sum(group.count for group in groups if group.role == "system")
    critical = {"key": "CriticalAddonsOnly", "operator": "Exists"}
    return Placement(
        node_selector={ROLE_LABEL: "system"} if nodes else {},
        tolerations=[critical] if nodes else [critical, GPU_TOLERATION],
        replicas=2 if nodes >= _OF_TWO else 1,
    )
