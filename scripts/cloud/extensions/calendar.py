"""The date in the embedded cloud, for moto's records.

Each deployment has its own simulated clock (`engine/clock.py`). The date of this module advances between
deployments. The date determines when reservations start and end, and when replaced nodes become available.
"""

from __future__ import annotations

from datetime import UTC, datetime

from scripts.cloud.extensions.simulation import simulation


def now() -> datetime:
    """Return the current time, in UTC without a time zone."""
    return simulation().now().replace(tzinfo=None)


def as_moment(text: str) -> datetime:
    """Parse a time in the format of profiles and APIs (2027-01-04T11:30Z) to UTC without a time zone."""
    parsed = datetime.fromisoformat(text)
    return parsed.astimezone(UTC).replace(tzinfo=None) if parsed.tzinfo else parsed
