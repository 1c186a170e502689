"""Join several names in one sentence."""

from __future__ import annotations

from collections.abc import Iterable


def listed(names: Iterable[str], most: int = 3) -> str:
    """Return a text with the first names and the number of omitted names."""
    names = list(names)
    more = len(names) - most
    if more > 0:
        return f"{', '.join(names[:most])} and {more} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
