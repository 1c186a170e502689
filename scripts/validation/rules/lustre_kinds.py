"""What FSx refuses of scratch, persistent-1 and Intelligent-Tiering file systems, and of Lustre versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from config.rules.deployed import storage as codes

from .registry import Refusal, Resource, rule

_TYPE = "AWS::FSx::FileSystem"
_CONFIGURATION = "LustreConfiguration"
_PATH = Path(__file__).resolve().parents[1] / "data" / "lustre.yaml"
_TIERING = "INTELLIGENT_TIERING"


@lru_cache(maxsize=1)
def _facts() -> Mapping[str, Any]:
    facts: Mapping[str, Any] = yaml.safe_load(_PATH.read_text(encoding="utf-8"))
    return facts


def _kind(resource: Resource) -> str | None:
    """The deployment type of a new Lustre file system; None for another one, or one from a backup."""
    if resource.properties.get("FileSystemType") not in (None, "LUSTRE") or "BackupId" in resource.properties:
        return None
    given: Mapping[str, Any] = resource.properties.get(_CONFIGURATION) or {}
    kind: str | None = (
        resource.get(_CONFIGURATION, "DeploymentType") if "DeploymentType" in given else "SCRATCH_1"
    )
    return kind


@rule(codes.OTHER_SIZES, _TYPE)
def sizes_of_the_other_kinds(resource: Resource) -> Iterator[Refusal]:
    """StorageCapacity and PerUnitStorageThroughput of scratch and persistent-1."""
    kind, storage = _kind(resource), resource.get("StorageType") or "SSD"
    sizes = _facts()["sizes"].get(f"{kind} {storage}")
    throughput, capacity = (
        resource.get(_CONFIGURATION, "PerUnitStorageThroughput"),
        resource.get("StorageCapacity"),
    )
    if sizes is None:
        return
    steps, given = sizes.get("by_throughput", {}), resource.properties.get(_CONFIGURATION) or {}
    left_out = "PerUnitStorageThroughput" not in given
    if (steps and left_out) or (throughput is not None and throughput not in steps):
        use = f"use {', '.join(map(str, steps))}" if steps else "take it out"
        told = "no tier, which it wants" if left_out else f"{throughput} MB/s/TiB is not a tier"
        yield Refusal(f"{_CONFIGURATION}/PerUnitStorageThroughput", f"{told}: {kind} on {storage}", use)
    step = sizes.get("step") or steps.get(throughput)
    if step is None or not isinstance(capacity, int) or capacity in sizes["small"]:
        return
    if capacity <= 0 or capacity % step:
        below = capacity // step * step
        told = f"{capacity} GiB is not a size of {kind} on {storage}: multiples of {step}"
        yield Refusal("StorageCapacity", told, f"use {below or step} or {below + step}")


@rule(codes.DRIVE_CACHE, _TYPE)
def hard_disks_state_their_cache(resource: Resource) -> Iterator[Refusal]:
    """StorageType HDD, DeploymentType and DriveCacheType."""
    kind = _kind(resource)
    if kind is None or resource.get("StorageType") != "HDD":
        return
    if kind != "PERSISTENT_1":
        yield Refusal(
            "StorageType", f"{kind} has no HDD storage", "write DeploymentType: PERSISTENT_1, or SSD"
        )
    elif "DriveCacheType" not in resource.properties.get(_CONFIGURATION, {}):
        yield Refusal(f"{_CONFIGURATION}/DriveCacheType", "none, beside HDD", "write NONE or READ")


@rule(codes.INTELLIGENT_TIERING, _TYPE)
def tiering_states_what_it_wants(resource: Resource) -> Iterator[Refusal]:
    """Everything of Intelligent-Tiering but its read cache."""
    kind = _kind(resource)
    if kind is None or resource.get("StorageType") != _TIERING:
        return
    facts, given = _facts()["intelligent_tiering"], resource.properties.get(_CONFIGURATION) or {}
    if kind != "PERSISTENT_2":
        yield Refusal(
            "StorageType", f"{kind} has no Intelligent-Tiering", "write DeploymentType: PERSISTENT_2"
        )
    if resource.properties.get("StorageCapacity") is not None:
        yield Refusal("StorageCapacity", "a capacity, where storage is elastic", "take it out")
    if given.get("PerUnitStorageThroughput") is not None:
        told = "a tier for each TiB, where throughput is stated as a whole"
        yield Refusal(f"{_CONFIGURATION}/PerUnitStorageThroughput", told, "write ThroughputCapacity instead")
    throughput, step = resource.get(_CONFIGURATION, "ThroughputCapacity"), facts["throughput_step_mbps"]
    if "ThroughputCapacity" not in given or (isinstance(throughput, int) and throughput % step):
        told = f"{throughput} MB/s" if throughput else "none"
        yield Refusal(f"{_CONFIGURATION}/ThroughputCapacity", told, f"use a multiple of {step}")
    yield from _tiering_metadata(resource, facts["metadata_iops"])
    yield from _tiering_cache(resource, facts["cache_gib"], (throughput or step) / step)


def _tiering_metadata(resource: Resource, allowed: list[int]) -> Iterator[Refusal]:
    path = f"{_CONFIGURATION}/MetadataConfiguration"
    mode, iops = (resource.get(*path.split("/"), name) for name in ("Mode", "Iops"))
    if mode == "AUTOMATIC" or (isinstance(iops, int) and iops not in allowed):
        use = f"write Mode: USER_PROVISIONED with Iops {' or '.join(map(str, allowed))}"
        yield Refusal(path, f"{mode}{f' with {iops}' if iops else ''}, on Intelligent-Tiering", use)


def _tiering_cache(resource: Resource, bounds: list[int], steps: float) -> Iterator[Refusal]:
    path = f"{_CONFIGURATION}/DataReadCacheConfiguration"
    if resource.properties.get(_CONFIGURATION, {}).get("DataReadCacheConfiguration") is None:
        yield Refusal(
            path, "none, beside Intelligent-Tiering", "write {SizingMode: NO_CACHE} or another mode"
        )
        return
    mode, size = (resource.get(*path.split("/"), name) for name in ("SizingMode", "SizeGiB"))
    least, most = (int(bound * steps) for bound in bounds)
    if mode == "USER_PROVISIONED" and isinstance(size, int) and not least <= size <= most:
        yield Refusal(f"{path}/SizeGiB", f"{size} GiB", f"use {least} to {most} GiB at this throughput")
    elif mode != "USER_PROVISIONED" and size is not None:
        yield Refusal(f"{path}/SizeGiB", f"a size beside {mode}", "take it out, or write USER_PROVISIONED")


@rule(codes.VERSION_FITS, _TYPE)
def version_fits_the_kind(resource: Resource) -> Iterator[Refusal]:
    """FileSystemTypeVersion of persistent-2."""
    version = resource.get("FileSystemTypeVersion")
    if _kind(resource) != "PERSISTENT_2" or version is None:
        return
    with_metadata = resource.get(_CONFIGURATION, "MetadataConfiguration") is not None
    if version == "2.10" or (version == "2.12" and with_metadata):
        beside = " beside a metadata configuration" if version == "2.12" else " on persistent-2"
        yield Refusal("FileSystemTypeVersion", f"Lustre {version}{beside}", "write '2.15'")


@rule(codes.ONE_SUBNET, _TYPE)
def stands_in_one_subnet(resource: Resource) -> Iterator[Refusal]:
    """SubnetIds of a Lustre file system."""
    subnets = resource.items("SubnetIds")
    if resource.get("FileSystemType") == "LUSTRE" and len(subnets) > 1:
        yield Refusal(
            "SubnetIds", f"{len(subnets)} subnets, Lustre takes 1", "keep the one in the nodes' zone"
        )


@rule(codes.SCRATCH_IS_PLAIN, _TYPE)
def scratch_takes_no_backups(resource: Resource) -> Iterator[Refusal]:
    """AutomaticBackupRetentionDays of scratch."""
    kind, days = _kind(resource), resource.get(_CONFIGURATION, "AutomaticBackupRetentionDays")
    if kind in ("SCRATCH_1", "SCRATCH_2") and isinstance(days, int) and days > 0:
        told = f"backups for {days} days on {kind}"
        yield Refusal(f"{_CONFIGURATION}/AutomaticBackupRetentionDays", told, "take it out")


RULES = (
    sizes_of_the_other_kinds,
    hard_disks_state_their_cache,
    tiering_states_what_it_wants,
    version_fits_the_kind,
    stands_in_one_subnet,
    scratch_takes_no_backups,
)
