"""Schedules of CronJobs for a time between two moments."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta

EVERY = "*/15"
"""Minutes of an hour at which something is done again."""

_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)


def once(moment: datetime) -> str:
    """The schedule of one moment; it has no year."""
    return f"{moment.minute} {moment.hour} {moment.day} {moment.month} *"


def again(first: datetime, end: datetime) -> Iterator[str]:
    """Schedules that do something again every quarter of the whole hours after `first` and before `end`.

    A day that is not whole has a schedule of its own, the whole days of a month one together: cron combines
    every hour that it names with every day.
    """
    start = first.replace(minute=0, second=0, microsecond=0) + _HOUR
    end = end.replace(minute=0, second=0, microsecond=0)
    whole: list[date] = []
    for day, hours in _days(start, end):
        if whole and (hours != "0-23" or day.month != whole[-1].month):
            yield _of(whole[0], whole[-1], "0-23")
            whole = []
        if hours == "0-23":
            whole.append(day)
        else:
            yield _of(day, day, hours)
    if whole:
        yield _of(whole[0], whole[-1], "0-23")


def _days(start: datetime, end: datetime) -> Iterator[tuple[date, str]]:
    while start < end:
        midnight = start.replace(hour=0) + _DAY
        last = min(end, midnight) - _HOUR
        yield start.date(), f"{start.hour}-{last.hour}"
        start = midnight


def _of(first: date, last: date, hours: str) -> str:
    return f"{EVERY} {hours} {first.day}-{last.day} {first.month} *"
