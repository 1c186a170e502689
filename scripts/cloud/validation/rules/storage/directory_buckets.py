"""Validation of S3 Express One Zone directory buckets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from config.catalog import catalog
from config.design.zones import is_zone_id
from config.rules.codes import CODES
from config.rules.deployed import storage as codes
from config.rules.parts import either
from scripts.cloud.validation.rules.reading import text_at
from scripts.cloud.validation.rules.registry import Resource, Violation, rule

_TYPE = "AWS::S3Express::DirectoryBucket"
_BASE = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")


def _offered(region: str) -> str:
    zones = catalog().s3_express.zones_of(region)
    return f"use {either(zones)} in {region}" if zones else f"{region} does not offer directory buckets"


@rule(CODES["EXB001"], _TYPE)
def zone_is_set_by_id(resource: Resource) -> Iterator[Violation]:
    """Check LocationName."""
    zone = text_at(resource.properties, "LocationName")
    if zone is not None and not is_zone_id(zone):
        yield Violation("LocationName", f"{zone} is not a zone ID", _offered(resource.region))


@rule(CODES["EXB002"], _TYPE)
def zone_has_directory_buckets(resource: Resource) -> Iterator[Violation]:
    """Check that the Availability Zone in LocationName offers directory buckets."""
    zone = text_at(resource.properties, "LocationName")
    in_local_zone = resource.properties.get("DataRedundancy") == "SingleLocalZone"
    if zone is None or in_local_zone or not is_zone_id(zone):
        return
    if zone not in catalog().s3_express.zones_of(resource.region):
        message = f"{zone} does not offer directory buckets in {resource.region}"
        yield Violation("LocationName", message, _offered(resource.region))


@rule(codes.DIRECTORY_BUCKET_NAME, _TYPE)
def name_ends_in_its_zone(resource: Resource) -> Iterator[Violation]:
    """Check BucketName: lowercase letters, digits and hyphens, then the zone and the suffix."""
    name = text_at(resource.properties, "BucketName")
    zone = text_at(resource.properties, "LocationName")
    facts = catalog().s3_express
    if name is None or zone is None:
        return
    ending, most = facts.bucket_name("", zone), facts.max_name_length
    if not name.endswith(ending):
        yield Violation(
            "BucketName",
            f"the name `{name}` of the bucket does not end with {ending}",
            f"use a name such as data{ending}",
        )
    elif len(name) > most:
        yield Violation(
            "BucketName",
            f"the bucket name has {len(name)} characters, but the maximum is {most}",
            "use a shorter name",
        )
    elif not _BASE.fullmatch(name.removesuffix(ending)):
        message = f"{name.removesuffix(ending)!r}, the part of the name before {ending}, is not valid"
        yield Violation("BucketName", message, "use lowercase letters and digits, with hyphens between them")
