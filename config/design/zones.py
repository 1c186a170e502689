"""Zones by id and by name, and the subnet that the nodes are in."""

from __future__ import annotations

import re
from functools import lru_cache

from config.catalog import catalog

PRIMARY = "primary"
"""The name of the subnet of the nodes and the file system."""

_ZONE_ID = re.compile(r".*-az[0-9]+")


@lru_cache(maxsize=1024)
def is_zone_id(zone: str) -> bool:
    """True for a zone id, False for a zone name."""
    return _ZONE_ID.fullmatch(zone) is not None


@lru_cache(maxsize=1024)
def is_local_zone(zone: str) -> bool:
    """True for a Local Zone, by name (`us-east-1-dfw-2a`) or id (`use1-dfw2-az1`)."""
    known = catalog().zone(zone)
    if known is not None:
        return known.kind == "local-zone"
    return zone.count("-") >= (2 if is_zone_id(zone) else 4)
