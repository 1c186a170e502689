"""The calendar section of a plan."""

from __future__ import annotations

from config.design.report.calendar import CalendarReport
from scripts.cli.plan.document import Writer

_NAME = 12


def write_calendar(out: Writer, calendar: CalendarReport) -> None:
    """Write one bar for each group over the same period, then the deadlines before each reservation ends."""
    out.heading("calendar")
    out.verbatim(f"{'':<{_NAME}} {calendar.first} to {calendar.last}")
    for row in calendar.lines:
        out.verbatim(f"{row.group[:_NAME]:<{_NAME}} {row.bar}")
    out.line("`=` jobs run, `-` too late to start the longest job, `x` jobs do not run, `.` no instances")
    out.table(
        ("group", "last safe start", "checkpoint by", "drained", "terminated"),
        [
            (row.group, row.last_safe_start, row.checkpoint_by, row.drained, row.machines_go)
            for row in calendar.lines
        ],
    )
    if calendar.longest_job_h is None:
        out.fact("", "the last safe start assumes a job without a duration: set `calendar.longest_job_h`")
    for gap in calendar.gaps:
        out.fact(
            "gap",
            f"{gap.hours:,.1f} hours without instances, from the end of {gap.before} at {gap.start} "
            f"to the start of {gap.after}",
        )
    if not calendar.held:
        out.fact("hold", "not set: jobs can start until the instances are terminated")
    commands = [row.command for row in calendar.lines if row.command]
    if calendar.held and commands:
        out.fact("manual", "on nodes created before this calendar was added, run as root:")
        for command in commands:
            out.verbatim(command)
