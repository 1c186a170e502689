"""Zones, names and limits of S3 Express One Zone directory buckets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from config.catalog.files import read_one
from config.catalog.hardware import Sourced, Sources


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Express(Sourced):
    """S3 Express One Zone: directory buckets in one Availability Zone.

    ``zones`` are zone ids by Region, the complete list that AWS publishes; it contains no Local Zone.
    ``endpoint`` is the last part of the gateway endpoint's service name. ``reads_per_s`` and ``writes_per_s``
    are the request rates to which AWS Support can raise a bucket's default. A bucket without requests for
    ``inactive_after_days`` returns status 503 for some minutes when it is used again.
    """

    zones: Mapping[str, tuple[str, ...]] = field(hash=False)
    name_suffix: str
    min_name_length: int
    max_name_length: int
    endpoint: str
    encryptions: tuple[str, ...]
    max_buckets_per_region: int
    reads_per_s: int
    writes_per_s: int
    default_reads_per_s: int
    default_writes_per_s: int
    inactive_after_days: int
    sources: Sources = field(hash=False)
    notes: tuple[str, ...] = ()

    def zones_of(self, region: str) -> tuple[str, ...]:
        """Return the zone IDs of a Region that offer directory buckets, empty if there are none."""
        return self.zones.get(region, ())

    def offered(self, zone_id: str) -> bool:
        """Return whether a zone offers directory buckets."""
        return any(zone_id in zones for zones in self.zones.values())

    def bucket_name(self, base_name: str, zone_id: str) -> str:
        """Return the full name of a directory bucket with zone and suffix."""
        return base_name + self.name_suffix.format(zone_id=zone_id)


@cache
def s3_express() -> S3Express:
    """Build the facts from their data file."""
    document = read_one("s3-express")
    return S3Express(
        **document["buckets"], zones=document["zones"], sources=document["sources"], notes=document["notes"]
    )
