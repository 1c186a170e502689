"""Regions with their services, Availability Zones and Local Zones.

The catalogue does not have all Regions. Rules do not report a Region that is missing here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from config.catalog.hardware import Sourced, Sources


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreOffer:
    """FSx for Lustre PERSISTENT_2 in a Region or Local Zone: SSD tiers in MB/s per TiB, and EFA support."""

    throughputs_mbps_per_tib: tuple[int, ...]
    efa: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Zone(Sourced):
    """An Availability Zone or Local Zone.

    ``zone_id`` is the same in every account, but the ``name`` of an Availability Zone is not; either may be
    unknown. For a Local Zone, ``parent_zone_id`` is the zone of its control plane, and an Elastic IP address
    must be allocated in ``network_border_group``. ``instance_types`` are the types that a source lists in
    this zone; there may be more. ``lustre`` is None if the offer is not known. ``pcs`` is False if AWS PCS
    rejects a subnet in this zone.
    """

    name: str | None
    zone_id: str | None
    region: str
    kind: Literal["availability-zone", "local-zone"]
    opt_in: bool
    parent_zone_id: str | None
    network_border_group: str | None
    instance_types: tuple[str, ...]
    lustre: LustreOffer | None
    pcs: bool
    sources: Sources = field(hash=False)
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Region(Sourced):
    """A Region with the services that are available in it.

    The service flags are True if CloudFormation supports the resource type in the Region
    (AWS::SageMaker::Cluster, AWS::Grafana::Workspace, AWS::APS::Workspace and Scraper, AWS::PCS::Cluster).
    The flags do not mean that capacity is available. ``lustre`` is None if it is not known whether the Region
    offers PERSISTENT_2. If ``lustre`` has no throughputs, the Region does not offer PERSISTENT_2.
    """

    name: str
    partition: Literal["aws", "aws-cn", "aws-us-gov"]
    place: str | None
    hyperpod: bool
    grafana: bool
    prometheus: bool
    prometheus_scraper: bool
    pcs: bool
    lustre: LustreOffer | None
    zones: tuple[Zone, ...]
    sources: Sources = field(hash=False)

    @property
    def lustre_efa(self) -> bool | None:
        """Whether PERSISTENT_2 with EFA is available; None if it is not known."""
        return None if self.lustre is None else self.lustre.efa


def zones_of(regions: Mapping[str, Region]) -> dict[str, Zone]:
    """Return all zones of the Regions, by name and by zone id."""
    zones: dict[str, Zone] = {}
    for region in regions.values():
        for zone in region.zones:
            for key in (zone.name, zone.zone_id):
                if key is not None:
                    zones.setdefault(key, zone)
    return zones
