"""What FSx refuses of a persistent-2 file system on SSD, and of any Lustre file system's logs and place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from config.catalog import LustreTier, catalog
from config.rules import CODES
from config.rules.deployed import storage as codes

from .registry import Refusal, Resource, rule

_TYPE = "AWS::FSx::FileSystem"
_CONFIGURATION = "LustreConfiguration"
_METADATA = f"{_CONFIGURATION}/MetadataConfiguration"
_PERSISTENT_2 = "PERSISTENT_2"


def _lustre(resource: Resource, name: str) -> Any:
    return resource.get(_CONFIGURATION, name)


def _is_persistent_2_ssd(resource: Resource) -> bool:
    kind, storage = _lustre(resource, "DeploymentType"), resource.get("StorageType")
    return bool(kind == _PERSISTENT_2 and storage != "INTELLIGENT_TIERING")


def _tier(resource: Resource) -> LustreTier | None:
    throughput = _lustre(resource, "PerUnitStorageThroughput")
    return catalog().lustre.tiers.get(throughput) if isinstance(throughput, int) else None


@rule(CODES["LUS001"], _TYPE)
def throughput_is_a_tier(resource: Resource) -> Iterator[Refusal]:
    """PerUnitStorageThroughput of persistent-2 on SSD, which wants one."""
    name, tiers = "PerUnitStorageThroughput", sorted(catalog().lustre.tiers)
    left_out, given = name not in (resource.get(_CONFIGURATION) or {}), _lustre(resource, name)
    if _is_persistent_2_ssd(resource) and (left_out or given is not None) and _tier(resource) is None:
        told = (
            "no tier, which persistent-2 wants"
            if left_out
            else f"{given} MB/s/TiB is not a tier of persistent-2"
        )
        yield Refusal(f"{_CONFIGURATION}/{name}", told, f"use {', '.join(map(str, tiers))}")


@rule(CODES["LUS002"], _TYPE)
def capacity_is_a_size(resource: Resource) -> Iterator[Refusal]:
    """StorageCapacity against the tier, with EFA and without."""
    facts, capacity, tier = catalog().lustre, resource.get("StorageCapacity"), _tier(resource)
    if not _is_persistent_2_ssd(resource) or tier is None or not isinstance(capacity, int):
        return
    efa = _lustre(resource, "EfaEnabled") is True
    if not facts.takes_capacity(capacity, tier, efa=efa):
        step = facts.capacity_step(tier, efa=efa)
        below = capacity // step * step
        yield Refusal(
            "StorageCapacity",
            f"{capacity} GiB is not a size at {tier.throughput_mbps_per_tib} MB/s/TiB"
            f"{' with EFA' if efa else ''}: multiples of {step}",
            f"use {below or step} or {below + step}",
        )


@rule(CODES["LUS003"], _TYPE)
def place_offers_the_file_system(resource: Resource) -> Iterator[Refusal]:
    """The tier and EFA against the zone of the subnet, which must be the stack's own to be known."""
    subnets = [resource.named(subnet, "AWS::EC2::Subnet") for subnet in resource.items("SubnetIds")]
    tier = _tier(resource)
    if not _is_persistent_2_ssd(resource) or tier is None or len(subnets) != 1 or subnets[0] is None:
        return
    zone = subnets[0].get("AvailabilityZoneId") or subnets[0].get("AvailabilityZone")
    offer, place = catalog().lustre_offer(resource.region, zone)
    if offer is None or zone is None:
        return
    tiers, asked = sorted(offer.throughputs_mbps_per_tib), tier.throughput_mbps_per_tib
    if asked not in tiers:
        told = f"{place} does not offer {asked} MB/s/TiB" if tiers else f"{place} has no persistent-2"
        use = f"use {' or '.join(map(str, tiers))}" if tiers else "take a Region that offers it"
        yield Refusal(f"{_CONFIGURATION}/PerUnitStorageThroughput", told, use)
    if tiers and not offer.efa and _lustre(resource, "EfaEnabled") is True:
        told = f"{place} does not offer Lustre with EFA"
        yield Refusal(f"{_CONFIGURATION}/EfaEnabled", told, "take EfaEnabled out")


@rule(CODES["LUS004"], _TYPE)
def metadata_iops_fit(resource: Resource) -> Iterator[Refusal]:
    """MetadataConfiguration/Iops: a value that exists, not below what the capacity gives."""
    facts, iops = catalog().lustre, resource.get(_CONFIGURATION, "MetadataConfiguration", "Iops")
    capacity = resource.get("StorageCapacity")
    if not isinstance(iops, int) or resource.get("StorageType") == "INTELLIGENT_TIERING":
        return
    if resource.get(_CONFIGURATION, "MetadataConfiguration", "Mode") == "AUTOMATIC":
        told = f"{iops} beside Mode AUTOMATIC, which follows the capacity"
        yield Refusal(f"{_METADATA}/Iops", told, "take Iops out, or write USER_PROVISIONED")
    if iops not in facts.allowed_metadata_iops:
        told = f"{iops} metadata IOPS cannot be provisioned"
        yield Refusal(
            f"{_METADATA}/Iops", told, f"use {', '.join(map(str, facts.allowed_metadata_iops[:4]))}, ..."
        )
    elif isinstance(capacity, int) and capacity >= facts.small_capacities_gib[0]:
        least = facts.automatic_metadata_iops(capacity)
        if iops < least:
            use = facts.enough_metadata_iops(iops, capacity)
            yield Refusal(
                f"{_METADATA}/Iops", f"{iops} is below the {least} that {capacity} GiB gives", f"use {use}"
            )


@rule(codes.EFA_WANTS_METADATA, _TYPE)
def efa_wants_metadata(resource: Resource) -> Iterator[Refusal]:
    """EfaEnabled and what it stands on."""
    if _lustre(resource, "EfaEnabled") is not True:
        return
    path, kind = f"{_CONFIGURATION}/EfaEnabled", _lustre(resource, "DeploymentType") or "SCRATCH_1"
    if kind != _PERSISTENT_2:
        yield Refusal(path, f"{kind} has no EFA", "write DeploymentType: PERSISTENT_2")
    elif _lustre(resource, "MetadataConfiguration") is None:
        yield Refusal(path, "no MetadataConfiguration", "write MetadataConfiguration: {Mode: AUTOMATIC}")
    version = resource.get("FileSystemTypeVersion")
    least = catalog().lustre.min_version_for_efa
    if version is not None and version != least:
        yield Refusal(path, f"Lustre {version} has no EFA", f"write FileSystemTypeVersion: '{least}'")


@rule(codes.NO_LEGACY_PATHS, _TYPE)
def no_legacy_paths(resource: Resource) -> Iterator[Refusal]:
    """ImportPath and its like on persistent-2 (STORAGE-11)."""
    for name in LEGACY if _lustre(resource, "DeploymentType") == _PERSISTENT_2 else ():
        if (resource.get(_CONFIGURATION) or {}).get(name) is not None:
            yield Refusal(
                f"{_CONFIGURATION}/{name}",
                "persistent-2 is not linked by the file system itself",
                "use an AWS::FSx::DataRepositoryAssociation",
            )


LEGACY = ("ImportPath", "ExportPath", "AutoImportPolicy", "ImportedFileChunkSize")
"""How a file system was linked to S3 before there were associations."""


@rule(codes.LOGS_GO_TO_FSX_GROUPS, _TYPE)
def logs_go_to_fsx_groups(resource: Resource) -> Iterator[Refusal]:
    """LogConfiguration/Destination."""
    path = f"{_CONFIGURATION}/LogConfiguration/Destination"
    destination = resource.get(*path.split("/"))
    if isinstance(destination, str):
        group = destination.partition(":log-group:")[2].removesuffix(":*") or destination
        if not group.startswith("/aws/fsx"):
            yield Refusal(path, f"{group} does not start with /aws/fsx", "name the log group /aws/fsx/...")


RULES = (
    throughput_is_a_tier,
    capacity_is_a_size,
    place_offers_the_file_system,
    metadata_iops_fit,
    efa_wants_metadata,
    no_legacy_paths,
    logs_go_to_fsx_groups,
)
