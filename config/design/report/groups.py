"""One group of machines in figures, as a plan shows it."""

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
    """What happens by itself before a reservation ends; `at` where the profile states the end."""

    minutes_before_end: int
    at: str | None
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReservationReport:
    """From when to when reserved machines are there, in UTC; None where the profile does not say."""

    start: str | None
    end: str | None
    last_steps: tuple[LastStepReport, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UltraServerReport:
    """The UltraServers of a group: each is one NVLink domain, which block topology keeps together."""

    name: str
    count: int
    nodes_each: int
    spare_nodes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupReport:
    """One group. Bandwidth is for one node in Gbps, memory in GiB; `_all` is for the whole group.

    `layout` is None where the control plane lays the interfaces out itself, `pods_per_node` outside
    Kubernetes. `usable_nodes` are those without the spare ones. `settings` are
    sentences about what else the profile states.
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
    """GPU memory of all nodes."""
    return group.count * group.instance_type.gpu.memory_gib if group.instance_type.gpu else 0


def group_report(group: GroupPlan) -> GroupReport:
    """The figures of one group."""
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
    return (f"jobs get {group.usable} of {group.count} nodes: {group.spare} spare for nodes that fail",)


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
