"""Zones that moto lacks: Local Zones with GPU instances, and zones that were added to Regions recently."""

from __future__ import annotations

from moto.ec2.models.availability_zones_and_regions import RegionsAndZonesBackend, Zone

# zone name to zone id; Local Zones as EC2 lists them (zone type local-zone)
LOCAL_ZONES = {
    "us-east-1": {"us-east-1-atl-2a": "use1-atl2-az1", "us-east-1-dfw-2a": "use1-dfw2-az1"},
    "us-west-2": {"us-west-2-phx-2a": "usw2-phx2-az1"},
}


def install() -> None:
    """Add the zones to moto, for every EC2 call."""
    for region, zones in LOCAL_ZONES.items():
        known = RegionsAndZonesBackend.zones[region]
        names = {zone.name for zone in known}
        known.extend(
            Zone(name, region, zone_id, zone_type="local-zone")
            for name, zone_id in zones.items()
            if name not in names
        )
