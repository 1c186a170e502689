"""Calendar of reservations: end times, gaps, and the time of the last checkpoint."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from config.design.capacity.groups import GroupPlan
from config.design.capacity.holds import Hold, holds_of
from config.profile.model import Profile

BAR = 48
"""Characters of a bar; with the group's name it fits in 64 columns."""

_LEAST_CHECKPOINT_MIN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A period without any reservation, between reservations of the groups `before` and `after`."""

    start: datetime
    end: datetime
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarPlan:
    """The end times of all reservations in order.

    `checkpoint_before_min` is the profile's value, or twice the write time of a checkpoint.
    """

    holds: tuple[Hold, ...]
    gaps: tuple[Gap, ...]
    checkpoint_before_min: int
    longest_job_h: int | None

    def checkpoint_by(self, hold: Hold) -> datetime:
        """Return the latest start of a job's last checkpoint."""
        return min(hold.drained, hold.termination - timedelta(minutes=self.checkpoint_before_min))


def calendar_of(
    profile: Profile, groups: tuple[GroupPlan, ...], checkpoint_write_s: float
) -> CalendarPlan | None:
    """Return the calendar of a profile; None if it has no `calendar` or no reservation with an end."""
    calendar = profile.calendar
    if calendar is None or not (holds := holds_of(profile, groups)):
        return None
    least = max(_LEAST_CHECKPOINT_MIN, math.ceil(2 * checkpoint_write_s / 60))
    return CalendarPlan(
        holds=holds,
        gaps=gaps_of(holds),
        checkpoint_before_min=calendar.checkpoint_before_min or least,
        longest_job_h=calendar.longest_job_h,
    )


def gaps_of(holds: Sequence[Hold]) -> tuple[Gap, ...]:
    """Return the periods between reservations in which no reservation is active, in order."""
    dated = sorted((hold.start, hold.end, hold.group) for hold in holds if hold.start is not None)
    gaps: list[Gap] = []
    reached: tuple[datetime, str] | None = None
    for start, end, group in dated:
        if reached is not None and start > reached[0]:
            gaps.append(Gap(start=reached[0], end=start, before=reached[1], after=group))
        if reached is None or end > reached[0]:
            reached = (end, group)
    return tuple(gaps)


def bars_of(holds: Sequence[Hold], width: int = BAR) -> tuple[str, ...]:
    """Return a time bar for each reservation: `=` jobs run, `-` no new jobs, `x` drained.

    A period shorter than one character is rendered as one character, if there is room.
    """
    starts = [hold.start or hold.last_start for hold in holds]
    first, last = min(starts), max(hold.end for hold in holds)
    span = max((last - first).total_seconds(), 1.0)

    def column(moment: datetime) -> int:
        return min(width, max(0, round((moment - first).total_seconds() / span * width)))

    return tuple(_bar(hold, start, column, width) for hold, start in zip(holds, starts, strict=True))


def _bar(hold: Hold, start: datetime, column: Callable[[datetime], int], width: int) -> str:

    begin, end = column(start), column(hold.end)
    if end <= begin:
        begin, end = min(begin, width - 1), min(begin, width - 1) + 1
    drained = min(max(column(hold.drained), begin), end - 1)
    held = min(max(column(hold.last_start), begin), drained)
    return (
        "." * begin
        + "=" * (held - begin)
        + "-" * (drained - held)
        + "x" * (end - drained)
        + "." * (width - end)
    )
