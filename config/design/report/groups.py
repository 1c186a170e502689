"""The group report of a plan."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from config.design.capacity.groups import GroupPlan
from config.design.capacity.windows import Window
from config.design.report.hyperpod import group_settings
from config.profile.capacity.groups import ExistingPlacementGroup
from config.records import copied


@dataclass(frozen=True, slots=True, kw_only=True)
class LastStepReport:
    """An automatic action before a reservation ends; `at` is None if the profile does not set the end."""

    minutes_before_end: int
    at: str | None
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservationReport:
    """Start and end of a reservation in UTC; None if the profile does not set them."""

    start: str | None
    end: str | None
    last_steps: tuple[LastStepReport, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UltraServerReport:
    """The UltraServers of a group; each is one NVLink domain and one unit of the block topology."""

    name: str
    count: int
    nodes_each: int
    spare_nodes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupReport:
    """One group. Bandwidth is per node in Gbps, memory is in GiB; fields with `_all` are group totals.

    `layout` is None if the control plane chooses the interfaces, and `pods_per_node` is None without
    Kubernetes. `usable_nodes` excludes spare nodes. `settings` are sentences about settings without a field.
    """

    name: str
    role: str
    instance_type: str
    nodes: int
    usable_nodes: int
    capacity: str
    reservation: ReservationReport | None
    placement_group: str | None
    gpu: str | None
    gpus_all: int
    gpu_memory_gib_all: float
    nvlink_domain_gpus: int
    ultraservers: UltraServerReport | None
    threads_per_core: int
    arch: str
    efa_generation: str | None
    efa_gbps: float
    layout: str | None
    interfaces: int
    efa_interfaces: int
    addresses: int
    addresses_all: int
    pods_per_node: int | None
    deep_health_checks: tuple[str, ...]
    settings: tuple[str, ...]


def gpu_memory_gib(group: GroupPlan) -> float:
    """Return the GPU memory of all nodes in GiB."""
    return group.count * group.instance_type.gpu.memory_gib if group.instance_type.gpu else 0


def group_report(group: GroupPlan) -> GroupReport:
    """Return the report of one group."""
    kind = group.instance_type
    return copied(
        GroupReport,
        group,
        instance_type=kind.name,
        nodes=group.count,
        usable_nodes=group.usable,
        capacity=f"{group.capacity.kind} ({group.ultraserver})" if group.ultraserver else group.capacity.kind,
        reservation=_reservation(group.window) if group.window else None,
        placement_group=_placement(group),
        gpu=kind.gpu.gpu.model if kind.gpu else None,
        gpus_all=group.gpus,
        gpu_memory_gib_all=gpu_memory_gib(group),
        ultraservers=_ultraservers(group),
        threads_per_core=group.threads_per_core or kind.threads_per_core,
        arch=kind.arch,
        efa_generation=kind.efa_generation,
        layout=group.layout.name if group.layout else None,
        interfaces=group.interfaces_per_node,
        efa_interfaces=group.efa_per_node,
        addresses=group.addresses_per_node,
        addresses_all=group.count * group.addresses_per_node,
        deep_health_checks=tuple(group.deep_health_checks),
        settings=tuple((*_spare(group), *group_settings(group))),
    )


def _spare(group: GroupPlan) -> tuple[str, ...]:
    if not group.spare:
        return ()
    spare = f"{group.spare} spare {'node replaces' if group.spare == 1 else 'nodes replace'} nodes that fail"
    return (f"jobs use {group.usable} of {group.count} nodes; {spare}",)


def _placement(group: GroupPlan) -> str | None:
    asked = group.placement_group
    if asked is None:
        return None
    return asked.name if isinstance(asked, ExistingPlacementGroup) else "new"


def _ultraservers(group: GroupPlan) -> UltraServerReport | None:
    if group.unit is None:
        return None
    return UltraServerReport(
        name=group.unit.name,
        count=group.ultraservers,
        nodes_each=group.unit.instances,
        spare_nodes=group.spare_nodes,
    )


def _reservation(window: Window) -> ReservationReport:
    return ReservationReport(
        start=_text(window.start),
        end=_text(window.end),
        last_steps=tuple(
            LastStepReport(
                minutes_before_end=step.minutes_before,
                at=_text(window.end - timedelta(minutes=step.minutes_before)) if window.end else None,
                what=step.what,
            )
            for step in window.last_steps
        ),
    )


def _text(moment: datetime | None) -> str | None:
    return moment.strftime("%Y-%m-%dT%H:%MZ") if moment else None
