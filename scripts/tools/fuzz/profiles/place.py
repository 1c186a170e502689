"""Region and zone of a generated profile."""

from __future__ import annotations

from dataclasses import dataclass

from scripts.tools.fuzz.values.typical import zone_ids, zone_names


@dataclass(frozen=True)
class Place:
    """A Region and one of its zones, as a name or an id."""

    region: str
    zone: str

    @property
    def key(self) -> str:
        """Return the profile key that sets the zone."""
        return "availability_zone_id" if self.by_id else "availability_zone"

    @property
    def by_id(self) -> bool:
        """Return True if the zone is a zone id."""
        return "-az" in self.zone

    def others(self) -> list[str]:
        """Return the other zones of the Region without Local Zones, in the same form."""
        same = zone_ids(self.region)[:6] if self.by_id else zone_names(self.region)[:4]
        return [zone for zone in same if zone != self.zone]
