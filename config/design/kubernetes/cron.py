"""CronJob schedules for a period between two times."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta

EVERY = "*/15"
"""Minutes of an hour at which a CronJob runs again."""

_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)


def once(time: datetime) -> str:
    """Return the CronJob schedule for one time; a schedule has no year."""
    return f"{time.minute} {time.hour} {time.day} {time.month} *"


def again(first: datetime, end: datetime) -> Iterator[str]:
    """Yield schedules that run every 15 minutes in the full hours between `first` and `end`.

    A day that is only partly in the period has its own schedule. The full days of a month share one schedule,
    because cron runs at each hour that it names, on each day that it names.
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
