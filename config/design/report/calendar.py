"""The capacity calendar of a plan."""

from __future__ import annotations

from dataclasses import dataclass

from config.design.capacity.calendar import BAR, CalendarPlan, bars_of
from config.design.capacity.holds import Hold, reservation_command
from config.design.model import Design


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarLineReport:
    """The last hours of a group's instances, in UTC; a user can run `command` to reserve them in Slurm."""

    group: str
    start: str | None
    end: str
    machines_go: str
    last_safe_start: str
    checkpoint_by: str
    drained: str
    bar: str
    command: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GapReport:
    """A period without reserved instances."""

    start: str
    end: str
    hours: float
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarReport:
    """A calendar: one line for each group whose instances have dates; all lines cover the same period."""

    first: str
    last: str
    held: bool
    longest_job_h: int | None
    lines: tuple[CalendarLineReport, ...]
    gaps: tuple[GapReport, ...]


def calendar_report(design: Design) -> CalendarReport | None:
    """Return the calendar of a profile; None if it does not declare one."""
    plan, calendar = design.calendar, design.profile.calendar
    if plan is None or calendar is None:
        return None
    starts = [hold.start or hold.last_start for hold in plan.holds]
    bars = bars_of(plan.holds, BAR)
    return CalendarReport(
        first=_text(min(starts)),
        last=_text(max(hold.end for hold in plan.holds)),
        held=calendar.hold,
        longest_job_h=plan.longest_job_h,
        lines=tuple(_line(plan, hold, bar) for hold, bar in zip(plan.holds, bars, strict=True)),
        gaps=tuple(
            GapReport(
                start=_text(gap.start),
                end=_text(gap.end),
                hours=round((gap.end - gap.start).total_seconds() / 3600, 1),
                before=gap.before,
                after=gap.after,
            )
            for gap in plan.gaps
        ),
    )


def _line(plan: CalendarPlan, hold: Hold, bar: str) -> CalendarLineReport:
    return CalendarLineReport(
        group=hold.group,
        start=_text(hold.start) if hold.start else None,
        end=_text(hold.end),
        machines_go=_text(hold.termination),
        last_safe_start=_text(hold.last_start),
        checkpoint_by=_text(plan.checkpoint_by(hold)),
        drained=_text(hold.drained),
        bar=bar,
        command=reservation_command(hold) if hold.partition else None,
    )


def _text(moment: object) -> str:
    return f"{moment:%Y-%m-%dT%H:%MZ}"
