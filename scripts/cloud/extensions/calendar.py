"""The date in the embedded cloud, as moto's records have it: that of the world around it.

A deployment has a clock of its own (`engine/clock.py`), which says how long it would have taken. This is the
date between deployments: reservations begin and end by it, and nodes that are replaced come back.
"""

from __future__ import annotations

from datetime import UTC, datetime

from scripts.cloud.extensions.world import world


def now() -> datetime:
    """The moment, in UTC and without a zone."""
    return world().now().replace(tzinfo=None)


def as_moment(text: str) -> datetime:
    """A moment as profiles and APIs write it (2027-01-04T11:30Z), in UTC and without a zone."""
    told = datetime.fromisoformat(text)
    return told.astimezone(UTC).replace(tzinfo=None) if told.tzinfo else told
