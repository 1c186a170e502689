"""What FSx refuses of a Lustre file system."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.rules import CODES, deployed

from .registry import Refusal, Resource, rule

_TYPE = "AWS::FSx::FileSystem"
_CONFIGURATION = "LustreConfiguration"


def _lustre(resource: Resource, name: str) -> object:
    return resource.get(_CONFIGURATION, name)


def _is_persistent_2_ssd(resource: Resource) -> bool:
    return (
        _lustre(resource, "DeploymentType") == "PERSISTENT_2"
        and resource.get("StorageType") != "INTELLIGENT_TIERING"
    )


@rule(CODES["LUS001"], _TYPE)
def throughput_is_a_tier(resource: Resource) -> Iterator[Refusal]:
    """PerUnitStorageThroughput of persistent-2 on SSD, which wants one."""
    throughput, tiers = _lustre(resource, "PerUnitStorageThroughput"), sorted(catalog().lustre.tiers)
    if _is_persistent_2_ssd(resource) and throughput not in tiers:
        yield Refusal(
            f"{_CONFIGURATION}/PerUnitStorageThroughput",
            f"{throughput} MB/s/TiB is not a tier of persistent-2",
            f"use {', '.join(map(str, tiers))}",
        )


@rule(CODES["LUS002"], _TYPE)
def capacity_is_a_size(resource: Resource) -> Iterator[Refusal]:
    """StorageCapacity against the tier, with EFA and without."""
    facts, capacity = catalog().lustre, resource.get("StorageCapacity")
    throughput = _lustre(resource, "PerUnitStorageThroughput")
    tier = facts.tiers.get(throughput) if isinstance(throughput, int) else None
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


@rule(CODES["LUS004"], _TYPE)
def metadata_iops_fit(resource: Resource) -> Iterator[Refusal]:
    """MetadataConfiguration/Iops: a value that exists, not below what the capacity gives."""
    facts, iops = catalog().lustre, resource.get(_CONFIGURATION, "MetadataConfiguration", "Iops")
    capacity, path = resource.get("StorageCapacity"), f"{_CONFIGURATION}/MetadataConfiguration/Iops"
    if not isinstance(iops, int):
        return
    if iops not in facts.allowed_metadata_iops:
        yield Refusal(
            path, f"{iops} metadata IOPS cannot be provisioned", "use 1500, 3000, 6000 or 12000 x n"
        )
    elif isinstance(capacity, int) and capacity >= facts.small_capacities_gib[0]:
        least = facts.automatic_metadata_iops(capacity)
        if iops < least:
            yield Refusal(path, f"{iops} is below the {least} that {capacity} GiB gives", f"use {least}")


@rule(deployed.EFA_WANTS_METADATA, _TYPE)
def efa_wants_metadata(resource: Resource) -> Iterator[Refusal]:
    """EfaEnabled and what it stands on."""
    if _lustre(resource, "EfaEnabled") is not True:
        return
    path = f"{_CONFIGURATION}/EfaEnabled"
    if _lustre(resource, "DeploymentType") != "PERSISTENT_2":
        kind = _lustre(resource, "DeploymentType")
        yield Refusal(path, f"{kind} has no EFA", "write DeploymentType: PERSISTENT_2")
    elif _lustre(resource, "MetadataConfiguration") is None:
        yield Refusal(path, "no MetadataConfiguration", "write MetadataConfiguration: {Mode: AUTOMATIC}")
    version = resource.get("FileSystemTypeVersion")
    least = catalog().lustre.min_version_for_efa
    if version is not None and version != least:
        yield Refusal(path, f"Lustre {version} has no EFA", f"write FileSystemTypeVersion: '{least}'")


@rule(deployed.NO_LEGACY_PATHS, _TYPE)
def no_legacy_paths(resource: Resource) -> Iterator[Refusal]:
    """ImportPath and its like on persistent-2 (test STORAGE-11)."""
    if _lustre(resource, "DeploymentType") != "PERSISTENT_2":
        return
    for name in ("ImportPath", "ExportPath", "AutoImportPolicy", "ImportedFileChunkSize"):
        if _lustre(resource, name) is not None:
            yield Refusal(
                f"{_CONFIGURATION}/{name}",
                "persistent-2 is not linked by the file system itself",
                "use an AWS::FSx::DataRepositoryAssociation",
            )


@rule(deployed.LOGS_GO_TO_FSX_GROUPS, _TYPE)
def logs_go_to_fsx_groups(resource: Resource) -> Iterator[Refusal]:
    """LogConfiguration/Destination."""
    destination = resource.get(_CONFIGURATION, "LogConfiguration", "Destination")
    if isinstance(destination, str):
        group = destination.partition(":log-group:")[2].removesuffix(":*") or destination
        if not group.startswith("/aws/fsx"):
            yield Refusal(
                f"{_CONFIGURATION}/LogConfiguration/Destination",
                f"{group} does not start with /aws/fsx",
                "name the log group /aws/fsx/...",
            )


RULES = (
    throughput_is_a_tier,
    capacity_is_a_size,
    metadata_iops_fit,
    efa_wants_metadata,
    no_legacy_paths,
    logs_go_to_fsx_groups,
)
