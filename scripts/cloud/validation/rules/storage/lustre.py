"""Validation of persistent-2 file systems on SSD, and of the logs of all Lustre file systems."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import LustreTier, catalog
from config.rules.codes import CODES
from config.rules.deployed import storage as codes
from scripts.cloud.validation.rules.reading import (
    Properties,
    number_at,
    structure_at,
    text_at,
    texts_at,
    value_at,
)
from scripts.cloud.validation.rules.registry import Resource, Violation, rule

SYSTEM = "AWS::FSx::FileSystem"
_CONFIGURATION = "LustreConfiguration"
_IOPS = f"{_CONFIGURATION}/MetadataConfiguration/Iops"
_PERSISTENT_2 = "PERSISTENT_2"
_TIER = "PerUnitStorageThroughput"
LEGACY = ("ImportPath", "ExportPath", "AutoImportPolicy", "ImportedFileChunkSize")
"""Properties that linked a file system to S3 before associations existed."""


def lustre_of(system: Properties) -> Properties:
    """Return the Lustre configuration of a file system."""
    return structure_at(system, _CONFIGURATION)


def _is_persistent_2_ssd(resource: Resource) -> bool:
    kind = lustre_of(resource.properties).get("DeploymentType")
    return bool(kind == _PERSISTENT_2 and resource.properties.get("StorageType") in (None, "SSD"))


def _tier(resource: Resource) -> LustreTier | None:
    return catalog().lustre.tiers.get(number_at(resource.properties, _CONFIGURATION, _TIER) or 0)


@rule(CODES["LUS001"], SYSTEM)
def throughput_is_a_tier(resource: Resource) -> Iterator[Violation]:
    """Check that persistent-2 on SSD has a valid PerUnitStorageThroughput."""
    left_out, throughput = (
        _TIER not in lustre_of(resource.properties),
        value_at(resource.properties, _CONFIGURATION, _TIER),
    )
    if _is_persistent_2_ssd(resource) and (left_out or throughput is not None) and _tier(resource) is None:
        message = (
            "the throughput tier is not set"
            if left_out
            else f"{throughput} MB/s/TiB is not a throughput tier"
        )
        tiers = ", ".join(map(str, sorted(catalog().lustre.tiers)))
        yield Violation(f"{_CONFIGURATION}/{_TIER}", f"{message} on persistent-2", f"use {tiers}")


@rule(CODES["LUS002"], SYSTEM)
def capacity_is_a_size(resource: Resource) -> Iterator[Violation]:
    """Check StorageCapacity against the tier, with and without EFA."""
    facts, capacity, tier = (
        catalog().lustre,
        number_at(resource.properties, "StorageCapacity"),
        _tier(resource),
    )
    if not _is_persistent_2_ssd(resource) or tier is None or capacity is None:
        return
    efa = lustre_of(resource.properties).get("EfaEnabled") is True
    if not facts.takes_capacity(capacity, tier, efa=efa):
        step = facts.capacity_step(tier, efa=efa)
        below = capacity // step * step
        yield Violation(
            "StorageCapacity",
            f"{capacity} GiB is not a valid capacity at {tier.throughput_mbps_per_tib} MB/s/TiB"
            f"{' with EFA' if efa else ''}: it must be a multiple of {step}",
            f"use {below} or {below + step}" if below else f"use {step}",
        )


@rule(CODES["LUS003"], SYSTEM)
def place_offers_the_file_system(resource: Resource) -> Iterator[Violation]:
    """Check that the subnet's zone offers the tier and EFA, if the stack creates the subnet."""
    subnets = [
        resource.named(subnet, "AWS::EC2::Subnet") for _, subnet in texts_at(resource.properties, "SubnetIds")
    ]
    tier = _tier(resource)
    if not _is_persistent_2_ssd(resource) or tier is None or len(subnets) != 1 or subnets[0] is None:
        return
    declared = [text_at(subnets[0].properties, name) for name in ("AvailabilityZoneId", "AvailabilityZone")]
    zone = next((name for name in declared if name), None)
    offer, place = catalog().lustre_offer(resource.region, zone)
    if offer is None or zone is None:
        return
    tiers, requested = sorted(offer.throughputs_mbps_per_tib), tier.throughput_mbps_per_tib
    if requested not in tiers:
        message = (
            f"{place} does not offer {requested} MB/s/TiB"
            if tiers
            else f"{place} does not offer persistent-2"
        )
        use = f"use {' or '.join(map(str, tiers))}" if tiers else "use a Region that offers it"
        yield Violation(f"{_CONFIGURATION}/{_TIER}", message, use)
    if tiers and not offer.efa and lustre_of(resource.properties).get("EfaEnabled") is True:
        message = f"{place} does not offer Lustre with EFA"
        yield Violation(f"{_CONFIGURATION}/EfaEnabled", message, "remove EfaEnabled")


@rule(CODES["LUS004"], SYSTEM)
def metadata_iops_fit(resource: Resource) -> Iterator[Violation]:
    """Check that MetadataConfiguration/Iops is valid and not below the automatic value for the capacity."""
    facts, capacity = catalog().lustre, number_at(resource.properties, "StorageCapacity")
    iops = number_at(resource.properties, *_IOPS.split("/"))
    if iops is None or resource.properties.get("StorageType") not in (None, "SSD"):
        return
    if structure_at(lustre_of(resource.properties), "MetadataConfiguration").get("Mode") == "AUTOMATIC":
        message = f"Iops {iops} is not allowed with Mode AUTOMATIC, which sets the IOPS by the capacity"
        yield Violation(_IOPS, message, "remove Iops, or set Mode: USER_PROVISIONED")
    if iops not in facts.allowed_metadata_iops:
        first = ", ".join(map(str, facts.allowed_metadata_iops[:4]))
        yield Violation(_IOPS, f"{iops} is not a valid number of metadata IOPS", f"use {first}, ...")
    elif capacity is not None and capacity >= facts.small_capacities_gib[0]:
        least = facts.automatic_metadata_iops(capacity)
        if iops < least:
            use = facts.enough_metadata_iops(iops, capacity)
            yield Violation(
                _IOPS,
                f"{iops} metadata IOPS are below {least}, the automatic value for {capacity} GiB",
                f"use {use}",
            )


@rule(CODES["LUS010"], SYSTEM)
def efa_requires_metadata(resource: Resource) -> Iterator[Violation]:
    """Check EfaEnabled and the properties that it requires."""
    lustre, path = lustre_of(resource.properties), f"{_CONFIGURATION}/EfaEnabled"
    if lustre.get("EfaEnabled") is not True:
        return
    kind = text_at(lustre, "DeploymentType") if "DeploymentType" in lustre else "SCRATCH_1"
    if kind not in (None, _PERSISTENT_2):
        yield Violation(path, f"{kind} does not support EFA", "set DeploymentType: PERSISTENT_2")
    elif lustre.get("MetadataConfiguration") is None:
        yield Violation(
            path, "EFA requires MetadataConfiguration", "set MetadataConfiguration: {Mode: AUTOMATIC}"
        )
    version, least = (
        text_at(resource.properties, "FileSystemTypeVersion"),
        catalog().lustre.min_version_for_efa,
    )
    if version not in (None, least):
        yield Violation(
            path, f"Lustre {version} does not support EFA", f"set FileSystemTypeVersion: '{least}'"
        )


@rule(codes.NO_LEGACY_PATHS, SYSTEM)
def no_legacy_paths(resource: Resource) -> Iterator[Violation]:
    """Report ImportPath and similar properties of persistent-2 (STORAGE-11)."""
    lustre = lustre_of(resource.properties)
    for name in LEGACY if lustre.get("DeploymentType") == _PERSISTENT_2 else ():
        if value_at(lustre, name) is not None:
            yield Violation(
                f"{_CONFIGURATION}/{name}",
                f"persistent-2 does not support {name}",
                "use an AWS::FSx::DataRepositoryAssociation",
            )


@rule(codes.LOGS_GO_TO_FSX_GROUPS, SYSTEM)
def log_group_name_is_valid(resource: Resource) -> Iterator[Violation]:
    """Check LogConfiguration/Destination."""
    path = f"{_CONFIGURATION}/LogConfiguration/Destination"
    destination = text_at(resource.properties, *path.split("/"))
    if destination is not None:
        group = destination.partition(":log-group:")[2].removesuffix(":*") or destination
        if not group.startswith("/aws/fsx"):
            yield Violation(
                path,
                f"the log group name {group} does not start with /aws/fsx",
                "use a log group whose name starts with /aws/fsx/",
            )
