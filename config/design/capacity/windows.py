"""Start and end of reservations, and AWS's automatic steps before the end."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class LastStep:
    """An automatic step of AWS, `minutes_before` the end of a reservation."""

    minutes_before: int
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Start and end of a reservation in UTC; None if the profile does not set them."""

    start: datetime | None
    end: datetime | None
    last_steps: tuple[LastStep, ...]

    @property
    def length(self) -> timedelta | None:
        """Duration of the reservation; None if start or end is missing."""
        return self.end - self.start if self.start and self.end else None


def moment(text: str | None) -> datetime | None:
    """Return a UTC time in the profile's format as a datetime; None for None and for an invalid date."""
    if text is None:
        return None
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%MZ").replace(tzinfo=UTC)
    except ValueError:
        return None
