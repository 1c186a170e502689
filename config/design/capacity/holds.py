"""Times after which no job starts on a reservation (`calendar.hold`), from the profile's dates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from config.design.capacity.groups import GroupPlan
from config.profile.capacity.calendar import Calendar
from config.profile.model import Profile
from config.profile.orchestrator import Pcs


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """The last hours of a group's reservation, in UTC.

    `termination`: time at which AWS starts to terminate the nodes. `drained`: time at which all jobs must
    have ended. `last_start`: latest start of the longest job; equal to `drained` if the profile has no
    `longest_job_h`. `partition`: the Slurm partition that only this group uses; None under Kubernetes, and if
    the group shares its partition.
    """

    group: str
    start: datetime | None
    end: datetime
    termination: datetime
    drained: datetime
    last_start: datetime
    partition: str | None


def holds_of(profile: Profile, groups: Sequence[GroupPlan]) -> tuple[Hold, ...]:
    """Return the last hours of each group whose reservation has an end in the profile, ordered by time."""
    calendar = profile.calendar
    if calendar is None:
        return ()
    found = _holds(profile, calendar, groups)
    return tuple(sorted(found, key=lambda hold: (hold.termination, hold.group)))


def _holds(profile: Profile, calendar: Calendar, groups: Sequence[GroupPlan]) -> Iterator[Hold]:
    partitions = partitions_of(profile, groups)
    for group in groups:
        if group.window is None or group.window.end is None:
            continue
        lead = max((step.minutes_before for step in group.window.last_steps), default=0)
        termination = group.window.end - timedelta(minutes=lead)
        drained = termination - timedelta(minutes=calendar.drain_min)
        members = [name for name, names in partitions.items() if names == {group.name}]
        yield Hold(
            group=group.name,
            start=group.window.start,
            end=group.window.end,
            termination=termination,
            drained=drained,
            last_start=drained - timedelta(hours=calendar.longest_job_h or 0),
            partition=members[0] if members else None,
        )


def partitions_of(profile: Profile, groups: Sequence[GroupPlan]) -> dict[str, set[str]]:
    """Return the names of the groups of each Slurm partition; empty under Kubernetes."""
    orchestrator, found = profile.orchestrator, dict[str, set[str]]()
    if isinstance(orchestrator, Pcs) and orchestrator.queues is not None:
        return {queue.name: set(queue.groups) for queue in orchestrator.queues}
    for group in groups:
        if group.partition is not None:
            found.setdefault(group.partition, set()).add(group.name)
    return found


def reservation_name(hold: Hold) -> str:
    """Return the name of the Slurm reservation for the last hours of a group."""
    return f"ultracluster-end-{hold.group}"


def in_slurm(moment: datetime) -> str:
    """Return a time in Slurm's format, in UTC."""
    return f"{moment:%Y-%m-%dT%H:%M:%S}"


def reservation_command(hold: Hold) -> str:
    """Return the command that creates the reservation; root runs it on a node that reaches slurmctld."""
    return (
        f"TZ=UTC scontrol create reservation reservationname={reservation_name(hold)} user=root "
        f"starttime={in_slurm(hold.drained)} endtime={in_slurm(hold.end)} "
        f"partitionname={hold.partition} nodes=ALL flags=maint,ignore_jobs,part_nodes"
    )


def settings_of(profile: Profile, groups: Sequence[GroupPlan]) -> dict[str, str] | None:
    """Return the Slurm reservations as settings of node scripts; None without a calendar.

    Each line has the reservation's name, partition, start and end.
    """
    calendar = profile.calendar
    if calendar is None:
        return None
    lines = [
        f"{reservation_name(hold)} {hold.partition} {in_slurm(hold.drained)} {in_slurm(hold.end)}"
        for hold in holds_of(profile, groups)
        if hold.partition is not None
    ]
    return {
        "CALENDAR_HOLDS": "\n".join(lines) if calendar.hold else "",
        # PCS runs the controller itself, so a node of the cluster creates the reservations
        "CALENDAR_ON": "any" if isinstance(profile.orchestrator, Pcs) else "controller",
    }
