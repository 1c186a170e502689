"""The immutable catalogue of all facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from config.catalog.capacity.control_planes import ControlPlane, Reservations, ServiceEndpoint
from config.catalog.hardware import Gpu, InstanceType, UltraServer
from config.catalog.network.regions import LustreOffer, Region, Zone
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
    """The value of one source, as text."""

    value: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A contradiction between sources: all values, the chosen one, and the reason.

    ``subject`` and ``field`` are the row and the field of the chosen value.
    """

    subject: str
    field: str
    values: tuple[Claim, ...]
    chosen: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnlaidType:
    """An instance type without a published interface layout, and the reason that a rule reports."""

    name: str
    reason: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """All facts of the catalogue. Mappings are read-only, with AWS's names as keys."""

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

    # a profile needs few of the parts below: their files are read only when they are needed

    @property
    def charts(self) -> Mapping[str, Chart]:
        """Charts of the lock file by name."""
        from config.catalog.kubernetes.charts import charts

        return charts()

    @property
    def eks(self) -> EksFacts:
        """EKS add-ons, AMIs and quotas."""
        from config.catalog.kubernetes.eks import eks_facts

        return eks_facts()

    @property
    def pcs(self) -> PcsFacts:
        """PCS sizes and settings."""
        from config.catalog.slurm.pcs import pcs_facts

        return pcs_facts()

    @property
    def openzfs(self) -> OpenZfs:
        """FSx for OpenZFS deployment types, throughput and limits."""
        from config.catalog.storage.openzfs import open_zfs

        return open_zfs()

    @property
    def s3_express(self) -> S3Express:
        """Zones and limits of directory buckets."""
        from config.catalog.storage.s3_express import s3_express

        return s3_express()

    @property
    def checkpoints(self) -> Checkpoints:
        """Failure rates and published checkpoint sizes."""
        from config.catalog.workload.checkpoints import checkpoint_facts

        return checkpoint_facts()

    def instance(self, name: str) -> InstanceType | None:
        """Return the instance type with this EC2 name; None if it is not in the catalogue."""
        return self.instances.get(name)

    def region(self, name: str) -> Region | None:
        """Return the Region with this name; None if it is not in the catalogue."""
        return self.regions.get(name)

    def zone(self, name_or_id: str) -> Zone | None:
        """Return the zone with this name or zone id; None if it is not in the catalogue."""
        return self.zones.get(name_or_id)

    def units_of(self, instance_type: str) -> dict[str, UltraServer]:
        """Return the UltraServers of an instance type, by name."""
        return {name: unit for name, unit in self.ultraservers.items() if unit.instance_type == instance_type}

    def lustre_offer(self, region: str, zone: str | None) -> tuple[LustreOffer | None, str]:
        """Return the FSx for Lustre offer in a zone, and the Region or Local Zone that the offer is for.

        The offer is None if it is not known. Only Local Zones have their own offer.
        """
        known = self.zone(zone) if zone else None
        if known and zone and known.kind == "local-zone":
            return known.lustre, zone
        home = self.region(region)
        return (home.lustre if home else None), region

    def nearest(self, name: str) -> list[str]:
        """Return up to three instance types with a similar name, most similar first."""
        from difflib import get_close_matches  # slow to import, and needed only for an error message

        wanted = name.strip().lower().removeprefix("ml.")
        begun = sorted(
            (known for known in self.instances if wanted and known.startswith(wanted)),
            key=lambda known: (not known.startswith(f"{wanted}."), known),
        )
        if begun:
            return begun[:3]
        family, _, size = wanted.partition(".")
        # `p6` is not a family, so p6.48xlarge is compared with the types that begin with `p6`
        kin = sorted(known for known in self.instances if family and size and known.startswith(family))
        if kin:
            return get_close_matches(wanted, kin, n=3, cutoff=0)
        return get_close_matches(wanted, sorted(self.instances), n=3, cutoff=0.5)
