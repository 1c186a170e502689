"""The calendar of a plan, as text."""

from __future__ import annotations

from config.design.report.calendar import CalendarReport
from scripts.cli.plan.document import Writer

_NAME = 12


def write_calendar(out: Writer, calendar: CalendarReport) -> None:
    """One line for each group over the same time, then the moments before its end."""
    out.heading("calendar")
    out.verbatim(f"{'':<{_NAME}} {calendar.first} to {calendar.last}")
    for told in calendar.lines:
        out.verbatim(f"{told.group[:_NAME]:<{_NAME}} {told.bar}")
    out.line("= jobs run, - too late for the longest job, x nothing runs, . no machines")
    out.table(
        ("group", "last safe start", "checkpoint by", "nothing runs", "machines go"),
        [
            (told.group, told.last_safe_start, told.checkpoint_by, told.drained, told.machines_go)
            for told in calendar.lines
        ],
    )
    if calendar.longest_job_h is None:
        out.fact("", "the last safe start is that of a job that ends at once: state `longest_job_h`")
    for gap in calendar.gaps:
        out.fact(
            "gap", f"{gap.hours:,.1f} hours without machines, from {gap.before} at {gap.start} to {gap.after}"
        )
    if not calendar.held:
        out.fact("held", "no: jobs start until the machines go")
    commands = [told.command for told in calendar.lines if told.command]
    if calendar.held and commands:
        out.fact("by hand", "on nodes of before this calendar, as root:")
        for command in commands:
            out.verbatim(command)
