"""Reminders before reservations end: their times and texts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from config.design.capacity.calendar import CalendarPlan
from config.design.capacity.holds import Hold
from config.profile.model import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderPlan:
    """A reminder; `name` is unique in the profile."""

    name: str
    at: datetime
    text: str


def reminders_of(profile: Profile, plan: CalendarPlan | None) -> tuple[ReminderPlan, ...]:
    """Return the reminders of a profile's calendar, ordered by time."""
    calendar = profile.calendar
    if plan is None or calendar is None or calendar.reminders is None:
        return ()
    reminders = [
        ReminderPlan(
            name=f"{hold.group}-{hours}h",
            at=hold.termination - timedelta(hours=hours),
            text=_text(profile.name, plan, hold, hours, held=calendar.hold),
        )
        for hold in plan.holds
        for hours in sorted(set(calendar.reminders.before_h))
    ]
    return tuple(sorted(reminders, key=lambda one: (one.at, one.name)))


def _text(profile: str, plan: CalendarPlan, hold: Hold, hours: int, *, held: bool) -> str:
    hours_text = "1 hour" if hours == 1 else f"{hours} hours"
    end = _moment(hold.termination)
    parts = [f"{profile}: the nodes of group {hold.group} are terminated in {hours_text}, at {end}."]
    if plan.longest_job_h is not None:
        parts.append(f"Last safe start for a {plan.longest_job_h}-hour job: {_moment(hold.last_start)}.")
    parts.append(f"Start the last checkpoint by {_moment(plan.checkpoint_by(hold))}.")
    parts.append(
        f"All jobs must end by {_moment(hold.drained)}."
        if held
        else "New jobs can start until the nodes are terminated."
    )
    return " ".join(parts)


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
