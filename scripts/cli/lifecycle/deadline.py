"""How long something is waited for: `90m`, `1h30m`, or a moment in UTC as profiles write it."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from config.design.capacity.windows import moment
from config.design.model import Design

_SPAN = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")


class DeadlineError(ValueError):
    """A deadline that cannot be read; the message says what can be written."""


def deadline_of(text: str, now: datetime) -> datetime:
    """The moment that a text means."""
    at = moment(text)
    if at is not None:
        return at
    found = _SPAN.fullmatch(text)
    if not text or found is None:
        raise DeadlineError(
            f"{text!r} is no deadline: write 90m, 1h30m, 2d, or a moment as 2027-01-18T11:00Z"
        )
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    try:
        return now + timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    except OverflowError:
        raise DeadlineError(f"{text!r} is no deadline: no calendar reaches that far") from None


def as_moment(text: str, began: datetime) -> str:
    """A deadline as a command that goes on needs it: a span that began earlier is not begun anew."""
    return deadline_of(text, began).strftime("%Y-%m-%dT%H:%MZ")


def end_of_capacity(design: Design, now: datetime, groups: tuple[str, ...] = ()) -> datetime | None:
    """When the first of the reserved machines are taken away by themselves; None where no profile says so.

    What has passed already is no deadline: those machines are gone, or are others now.
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
    """A span for people: `1 h 5 min`, `40 s`."""
    seconds = max(0, round(seconds))
    if seconds < 60:
        return f"{seconds} s"
    hours, minutes = divmod(seconds // 60, 60)
    days, hours = divmod(hours, 24)
    parts = [f"{days} d"] * bool(days) + [f"{hours} h"] * bool(hours) + [f"{minutes} min"] * bool(minutes)
    return " ".join(parts[:2])
