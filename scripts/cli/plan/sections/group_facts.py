"""Sentences about one group that a plan prints below the table of groups."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.report.groups import GroupReport, ReservationReport, UltraServerReport
from scripts.cli.plan.document import amount


def group_facts(group: GroupReport) -> Iterator[str]:
    """Yield sentences about UltraServers, placement and the end of a reservation."""
    if group.ultraservers:
        yield _ultraservers(group, group.ultraservers)
    if group.placement_group:
        new = group.placement_group == "new"
        yield "in a new cluster placement group" if new else f"in placement group {group.placement_group}"
    yield from group.settings
    if group.reservation:
        yield from _reservation(group.reservation)


def _ultraservers(group: GroupReport, units: UltraServerReport) -> str:
    spare = amount(units.spare_nodes, "spare node") if units.spare_nodes else "without spare nodes"
    return (
        f"{units.count} x {units.name} of {units.nodes_each} nodes, {spare}, {group.arch}, "
        f"{amount(group.threads_per_core, 'thread')} per core; each UltraServer is one NVLink domain of "
        f"{group.nvlink_domain_gpus} GPUs and one unit of the block topology"
    )


def _reservation(reservation: ReservationReport) -> Iterator[str]:
    if reservation.start or reservation.end:
        start, end = (day or "(date not set)" for day in (reservation.start, reservation.end))
        yield f"reserved from {start} to {end}"
    for step in reservation.last_steps:
        when = step.at or f"{step.minutes_before_end} minutes before the reservation ends"
        yield f"{when}: {step.what}"
