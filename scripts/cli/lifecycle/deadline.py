"""Deadlines: a duration such as `90m` or `1h30m`, or a UTC time as in profiles."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from config.design.capacity.windows import moment
from config.design.model import Design

_SPAN = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")


class DeadlineError(ValueError):
    """A deadline that cannot be parsed; the message lists valid forms."""


def deadline_of(text: str, now: datetime) -> datetime:
    """Return the time of a deadline."""
    at = moment(text)
    if at is not None:
        return at
    found = _SPAN.fullmatch(text)
    if not text or found is None:
        raise DeadlineError(
            f"{text!r} is not a deadline: write 90m, 1h30m, 2d, or a UTC time such as 2027-01-18T11:00Z"
        )
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    try:
        return now + timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    except OverflowError:
        raise DeadlineError(f"{text!r} is not a deadline: the date is too far in the future") from None


def as_moment(text: str, began: datetime) -> str:
    """Return a deadline as an absolute time, for a command that continues an interrupted command."""
    return deadline_of(text, began).strftime("%Y-%m-%dT%H:%MZ")


def end_of_capacity(design: Design, now: datetime, groups: tuple[str, ...] = ()) -> datetime | None:
    """Return the time when the first reserved instances are terminated; None if the profile declares no end.

    Times in the past are ignored, because these instances are already terminated or replaced.
    """
    ends = [
        group.window.end
        - timedelta(minutes=max((s.minutes_before for s in group.window.last_steps), default=0))
        for group in design.groups
        if group.window and group.window.end and (not groups or group.name in groups)
    ]
    coming = [end for end in ends if end > now]
    return min(coming, default=None)


def in_words(seconds: float) -> str:
    """Return a duration as text: `1 h 5 min`, `40 s`."""
    seconds = max(0, round(seconds))
    if seconds < 60:
        return f"{seconds} s"
    hours, minutes = divmod(seconds // 60, 60)
    days, hours = divmod(hours, 24)
    parts = [f"{days} d"] * bool(days) + [f"{hours} h"] * bool(hours) + [f"{minutes} min"] * bool(minutes)
    return " ".join(parts[:2])
