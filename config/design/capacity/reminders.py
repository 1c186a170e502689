"""What is told before reserved machines go, and when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from config.design.capacity.calendar import CalendarPlan
from config.design.capacity.holds import Hold
from config.profile.model import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderPlan:
    """One message; `name` is unique in its profile."""

    name: str
    at: datetime
    text: str


def reminders_of(profile: Profile, plan: CalendarPlan | None) -> tuple[ReminderPlan, ...]:
    """The messages of a profile's calendar, the first first."""
    calendar = profile.calendar
    if plan is None or calendar is None or calendar.reminders is None:
        return ()
    told = [
        ReminderPlan(
            name=f"{hold.group}-{hours}h",
            at=hold.gone - timedelta(hours=hours),
            text=_text(profile.name, plan, hold, hours, held=calendar.hold),
        )
        for hold in plan.holds
        for hours in sorted(set(calendar.reminders.before_h))
    ]
    return tuple(sorted(told, key=lambda one: (one.at, one.name)))


def _text(profile: str, plan: CalendarPlan, hold: Hold, hours: int, *, held: bool) -> str:
    parts = [f"{profile}: the machines of {hold.group} go in {hours} hours, at {_moment(hold.gone)}."]
    if plan.longest_job_h is not None:
        parts.append(f"Last safe start of a job of {plan.longest_job_h} hours: {_moment(hold.last_start)}.")
    parts.append(f"Last checkpoint by {_moment(plan.checkpoint_by(hold))}.")
    parts.append(
        f"Nothing runs from {_moment(hold.drained)} on."
        if held
        else "Nothing is held: jobs start until then."
    )
    return " ".join(parts)


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
