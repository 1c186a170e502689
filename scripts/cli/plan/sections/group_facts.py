"""What a plan says about one group beside the figures of its table."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.report.groups import GroupReport, ReservationReport, UltraServerReport


def group_facts(group: GroupReport) -> Iterator[str]:
    """Sentences about UltraServers, placement and the end of a reservation."""
    if group.ultraservers:
        yield _ultraservers(group, group.ultraservers)
    if group.placement_group:
        new = group.placement_group == "new"
        yield "in a new cluster placement group" if new else f"in placement group {group.placement_group}"
    yield from group.settings
    if group.reservation:
        yield from _reservation(group.reservation)


def _ultraservers(group: GroupReport, units: UltraServerReport) -> str:
    spare = f"{units.spare_nodes} kept as spare" if units.spare_nodes else "none kept as spare"
    threads = "1 thread" if group.threads_per_core == 1 else f"{group.threads_per_core} threads"
    return (
        f"{units.count} x {units.name} of {units.nodes_each} nodes, {spare}; block topology of "
        f"{units.nodes_each} nodes, one NVLink domain of {group.nvlink_domain_gpus} GPUs each; "
        f"{group.arch}, {threads} per core"
    )


def _reservation(reservation: ReservationReport) -> Iterator[str]:
    if reservation.start or reservation.end:
        start, end = (day or "a day not stated" for day in (reservation.start, reservation.end))
        yield f"reserved from {start} to {end}"
    for step in reservation.last_steps:
        when = step.at or f"{step.minutes_before_end} minutes before the end"
        yield f"{when}: {step.what}"
