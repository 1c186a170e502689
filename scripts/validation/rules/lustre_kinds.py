"""What FSx refuses of scratch and persistent-1 file systems, of Lustre versions, and of where they stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from config.rules.deployed import storage as codes

from .lustre import SYSTEM, lustre_of
from .reading import items_at, number_at, text_at
from .registry import Refusal, Resource, rule

_CONFIGURATION, _TIER = "LustreConfiguration", "PerUnitStorageThroughput"
_PATH = Path(__file__).resolve().parents[1] / "data" / "lustre.yaml"
_DEFAULT = "SCRATCH_1"


@lru_cache(maxsize=1)
def lustre_facts() -> Mapping[str, Any]:
    """What FSx takes of file systems that the catalogue does not have."""
    facts: Mapping[str, Any] = yaml.safe_load(_PATH.read_text(encoding="utf-8"))
    return facts


def kind_of(resource: Resource) -> str | None:
    """The deployment type of a new Lustre file system; None for another one, or one from a backup."""
    if resource.properties.get("FileSystemType") not in (None, "LUSTRE") or "BackupId" in resource.properties:
        return None
    lustre = lustre_of(resource.properties)
    return text_at(lustre, "DeploymentType") if "DeploymentType" in lustre else _DEFAULT


@rule(codes.OTHER_SIZES, SYSTEM)
def sizes_of_the_other_kinds(resource: Resource) -> Iterator[Refusal]:
    """StorageCapacity and PerUnitStorageThroughput of scratch and persistent-1."""
    lustre, storage = lustre_of(resource.properties), resource.properties.get("StorageType", "SSD")
    kind = f"{kind_of(resource)} on {storage}"
    sizes = lustre_facts()["sizes"].get(kind)
    if sizes is None:
        return
    throughput, tiers = number_at(lustre, _TIER), sizes.get("by_throughput", {})
    left_out = _TIER not in lustre
    if (tiers and left_out) or (throughput is not None and throughput not in tiers):
        use = f"use {', '.join(map(str, tiers))}" if tiers else "take it out"
        told = "no tier, which it wants" if left_out else f"{throughput} MB/s/TiB is not a tier"
        yield Refusal(f"{_CONFIGURATION}/{_TIER}", f"{told}: {kind}", use)
    step, capacity = (
        sizes.get("step") or tiers.get(throughput),
        number_at(resource.properties, "StorageCapacity"),
    )
    if step is None or capacity is None or capacity in sizes["small"]:
        return
    if capacity <= 0 or capacity % step:
        below = max(0, capacity // step * step)
        told = f"{capacity} GiB is not a size of {kind}: multiples of {step}"
        yield Refusal("StorageCapacity", told, f"use {below or step} or {below + step}")


@rule(codes.DRIVE_CACHE, SYSTEM)
def hard_disks_state_their_cache(resource: Resource) -> Iterator[Refusal]:
    """StorageType HDD, DeploymentType and DriveCacheType."""
    kind = kind_of(resource)
    if kind is None or resource.properties.get("StorageType") != "HDD":
        return
    if kind != "PERSISTENT_1":
        use = "write DeploymentType: PERSISTENT_1, or SSD"
        yield Refusal("StorageType", f"{kind} has no HDD storage", use)
    elif "DriveCacheType" not in lustre_of(resource.properties):
        yield Refusal(f"{_CONFIGURATION}/DriveCacheType", "none, beside HDD", "write NONE or READ")


@rule(codes.VERSION_FITS, SYSTEM)
def version_fits_the_kind(resource: Resource) -> Iterator[Refusal]:
    """FileSystemTypeVersion of persistent-2."""
    version = text_at(resource.properties, "FileSystemTypeVersion")
    if kind_of(resource) != "PERSISTENT_2" or version is None:
        return
    with_metadata = lustre_of(resource.properties).get("MetadataConfiguration") is not None
    if version == "2.10" or (version == "2.12" and with_metadata):
        beside = " beside a metadata configuration" if version == "2.12" else " on persistent-2"
        yield Refusal("FileSystemTypeVersion", f"Lustre {version}{beside}", "write '2.15'")


@rule(codes.ONE_SUBNET, SYSTEM)
def stands_in_one_subnet(resource: Resource) -> Iterator[Refusal]:
    """SubnetIds of a Lustre file system."""
    subnets = items_at(resource.properties, "SubnetIds")
    if resource.properties.get("FileSystemType") == "LUSTRE" and len(subnets) > 1:
        yield Refusal(
            "SubnetIds", f"{len(subnets)} subnets, Lustre takes 1", "keep the one in the nodes' zone"
        )


@rule(codes.SCRATCH_IS_PLAIN, SYSTEM)
def scratch_takes_no_backups(resource: Resource) -> Iterator[Refusal]:
    """AutomaticBackupRetentionDays of scratch."""
    kind, name = kind_of(resource), "AutomaticBackupRetentionDays"
    days = number_at(lustre_of(resource.properties), name)
    if kind in ("SCRATCH_1", "SCRATCH_2") and days:
        yield Refusal(f"{_CONFIGURATION}/{name}", f"backups for {days} days on {kind}", "take it out")


RULES = (
    sizes_of_the_other_kinds,
    hard_disks_state_their_cache,
    version_fits_the_kind,
    stands_in_one_subnet,
    scratch_takes_no_backups,
)
