"""The catalogue as a whole. Everything in it is immutable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from config.catalog.capacity.control_planes import ControlPlane, Reservations, ServiceEndpoint
from config.catalog.hardware import Gpu, InstanceType, UltraServer
from config.catalog.network.places import LustreOffer, Region, Zone
from config.catalog.storage.lustre import Lustre
from config.catalog.storage.lustre_speeds import LustreSpeeds

if TYPE_CHECKING:
    from config.catalog.kubernetes.charts import Chart
    from config.catalog.kubernetes.eks import EksFacts
    from config.catalog.slurm.pcs import PcsFacts
    from config.catalog.storage.openzfs import OpenZfs
    from config.catalog.storage.s3_express import S3Express
    from config.catalog.workload.checkpoints import Checkpoints


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What one source says; ``value`` as text."""

    value: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Where sources disagree: every claim, the one this catalogue follows, and why.

    ``subject`` and ``field`` name the row and the field that the choice decides.
    """

    subject: str
    field: str
    values: tuple[Claim, ...]
    chosen: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnlaidType:
    """A type that AWS names but that has no public interface layout: refuse it, with this reason."""

    name: str
    reason: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """Every fact the product knows. Mappings are read-only and keyed by the names AWS uses."""

    generated: date
    gpus: Mapping[str, Gpu] = field(hash=False)
    instances: Mapping[str, InstanceType] = field(hash=False)
    ultraservers: Mapping[str, UltraServer] = field(hash=False)
    unlaid: Mapping[str, UnlaidType] = field(hash=False)
    regions: Mapping[str, Region] = field(hash=False)
    zones: Mapping[str, Zone] = field(hash=False)
    control_planes: Mapping[str, ControlPlane] = field(hash=False)
    reservations: Reservations
    endpoints: Mapping[str, ServiceEndpoint] = field(hash=False)
    lustre: Lustre
    lustre_speeds: LustreSpeeds
    conflicts: tuple[Conflict, ...]
    sources: Mapping[str, str] = field(hash=False)

    # a profile has few of the parts below: their files are read when they are asked for

    @property
    def charts(self) -> Mapping[str, Chart]:
        """The charts of the lock file by name."""
        from config.catalog.kubernetes.charts import charts

        return charts()

    @property
    def eks(self) -> EksFacts:
        """Add-ons, images and quotas of EKS."""
        from config.catalog.kubernetes.eks import eks_facts

        return eks_facts()

    @property
    def pcs(self) -> PcsFacts:
        """Sizes and settings of PCS."""
        from config.catalog.slurm.pcs import pcs_facts

        return pcs_facts()

    @property
    def openzfs(self) -> OpenZfs:
        """Deployments, speeds and limits of FSx for OpenZFS."""
        from config.catalog.storage.openzfs import open_zfs

        return open_zfs()

    @property
    def s3_express(self) -> S3Express:
        """Zones and limits of directory buckets."""
        from config.catalog.storage.s3_express import s3_express

        return s3_express()

    @property
    def checkpoints(self) -> Checkpoints:
        """Failure rates, and what was measured of checkpoints."""
        from config.catalog.workload.checkpoints import checkpoint_facts

        return checkpoint_facts()

    def instance(self, name: str) -> InstanceType | None:
        """Return the instance type of that EC2 name, or None."""
        return self.instances.get(name)

    def region(self, name: str) -> Region | None:
        """Return the Region of that name, or None when the catalogue does not know it."""
        return self.regions.get(name)

    def zone(self, name_or_id: str) -> Zone | None:
        """Return the zone of that name or zone id, or None when no source names it."""
        return self.zones.get(name_or_id)

    def units_of(self, instance_type: str) -> dict[str, UltraServer]:
        """Return the UltraServers that machines of a type are sold in, by name."""
        return {name: unit for name, unit in self.ultraservers.items() if unit.instance_type == instance_type}

    def lustre_offer(self, region: str, zone: str | None) -> tuple[LustreOffer | None, str]:
        """Return what FSx for Lustre offers in a place, None where nobody knows, and the place's name.

        A Local Zone has an offer of its own; any other zone has its Region's.
        """
        known = self.zone(zone) if zone else None
        if known and zone and known.kind == "local-zone":
            return known.lustre, zone
        home = self.region(region)
        return (home.lustre if home else None), region

    def nearest(self, name: str) -> list[str]:
        """Return up to three known instance types most like a misspelt or shortened one, best first."""
        from difflib import get_close_matches  # slow to import, and needed only for an error message

        wanted = name.strip().lower().removeprefix("ml.")
        begun = sorted(
            (known for known in self.instances if wanted and known.startswith(wanted)),
            key=lambda known: (not known.startswith(f"{wanted}."), known),
        )
        if begun:
            return begun[:3]
        family, _, size = wanted.partition(".")
        # p6.48xlarge is of no family, and most like one of another
        kin = sorted(known for known in self.instances if family and size and known.startswith(family))
        if kin:
            return get_close_matches(wanted, kin, n=3, cutoff=0)
        return get_close_matches(wanted, sorted(self.instances), n=3, cutoff=0.5)
