"""What exists where: Regions, their services, and the Local Zones that sell machines.

A Region that is not in the catalogue is not known to it; that says nothing about the Region.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from config.catalog.hardware import Sourced, Sources


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreOffer:
    """FSx for Lustre PERSISTENT_2 in one place: SSD tiers in MB/s per TiB, and whether EFA is allowed."""

    throughputs_mbps_per_tib: tuple[int, ...]
    efa: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Zone(Sourced):
    """An availability zone or Local Zone that the sources name.

    ``zone_id`` is the same in every account, the ``name`` of an availability zone is not; either may be
    unknown. ``parent_zone_id`` and ``network_border_group`` are a Local Zone's: where its control plane is,
    and the group that an elastic address for it must be allocated in. ``instance_types`` are those a source
    saw sold or running there, not all that may be. ``lustre`` None means unknown. ``pcs`` is False where
    AWS PCS refuses a subnet of this zone.
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
    """A Region and what can be created in it.

    The service flags say whether CloudFormation knows the resource type there (AWS::SageMaker::Cluster,
    AWS::Grafana::Workspace, AWS::APS::Workspace and Scraper, AWS::PCS::Cluster); presence of a type is not a
    promise of capacity. ``lustre`` None means unknown; no throughputs mean no PERSISTENT_2.
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
        """Whether PERSISTENT_2 with EFA is offered; None where unknown."""
        return None if self.lustre is None else self.lustre.efa


def zones_of(regions: Mapping[str, Region]) -> dict[str, Zone]:
    """Return every zone that a source names, by its name and by its zone id."""
    zones: dict[str, Zone] = {}
    for region in regions.values():
        for zone in region.zones:
            for key in (zone.name, zone.zone_id):
                if key is not None:
                    zones.setdefault(key, zone)
    return zones
