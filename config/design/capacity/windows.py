"""From when to when reserved machines are there, and what happens before they go."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class LastStep:
    """One thing that happens `minutes_before` the end of a reservation, by itself."""

    minutes_before: int
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """When a reservation starts and ends, in UTC; None where the profile does not say."""

    start: datetime | None
    end: datetime | None
    last_steps: tuple[LastStep, ...]

    @property
    def length(self) -> timedelta | None:
        """How long the machines are reserved."""
        return self.end - self.start if self.start and self.end else None


def moment(text: str | None) -> datetime | None:
    """A minute in UTC as the profile writes it; None for none, and for a day that no month has."""
    if text is None:
        return None
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%MZ").replace(tzinfo=UTC)
    except ValueError:
        return None
