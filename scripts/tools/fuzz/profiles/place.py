"""A Region and a zone that a cluster stands in."""

from __future__ import annotations

from dataclasses import dataclass

from scripts.tools.fuzz.values.words import zone_ids, zone_names


@dataclass(frozen=True)
class Place:
    """A Region and a zone that sell a type."""

    region: str
    zone: str

    @property
    def key(self) -> str:
        """The key of a profile that states the zone."""
        return "availability_zone_id" if self.by_id else "availability_zone"

    @property
    def by_id(self) -> bool:
        """True for a zone that is stated by its id."""
        return "-az" in self.zone

    def others(self) -> list[str]:
        """The other zones of the Region itself, stated the same way."""
        same = zone_ids(self.region)[:6] if self.by_id else zone_names(self.region)[:4]
        return [zone for zone in same if zone != self.zone]
