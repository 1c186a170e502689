"""Zone IDs and zone names, and the name of the primary subnet."""

from __future__ import annotations

import re
from functools import lru_cache

from config.catalog import catalog

PRIMARY = "primary"
"""Name of the subnet that contains the nodes and the file system."""

_ZONE_ID = re.compile(r".*-az[0-9]+")


@lru_cache(maxsize=1024)
def is_zone_id(zone: str) -> bool:
    """Return True for a zone ID, False for a zone name."""
    return _ZONE_ID.fullmatch(zone) is not None


@lru_cache(maxsize=1024)
def is_local_zone(zone: str) -> bool:
    """Return True for a Local Zone, by name (`us-east-1-dfw-2a`) or id (`use1-dfw2-az1`)."""
    known = catalog().zone(zone)
    if known is not None:
        return known.kind == "local-zone"
    return zone.count("-") >= (2 if is_zone_id(zone) else 4)
