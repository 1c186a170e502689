"""Validation of scratch and persistent-1 file systems, Lustre versions and subnets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from config.catalog import LustreKind, catalog
from config.rules.codes import CODES
from config.rules.deployed import storage as codes
from scripts.cloud.validation.rules.reading import items_at, number_at, text_at, value_at
from scripts.cloud.validation.rules.registry import Resource, Violation, rule

from .lustre import SYSTEM, lustre_of

_CONFIGURATION, _TIER = "LustreConfiguration", "PerUnitStorageThroughput"
_PATH = Path(__file__).resolve().parents[2] / "data" / "lustre.yaml"
_DEFAULT = "SCRATCH_1"
_SCRATCH = (_DEFAULT, "SCRATCH_2")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Valid capacities of a file system type in GiB; `steps` has the step for each tier in MB/s per TiB."""

    small: tuple[int, ...]
    steps: Mapping[int, int]
    has_tiers: bool


@lru_cache(maxsize=1)
def _beside_the_catalogue() -> Mapping[str, Sizes]:
    """Capacities of types that the catalogue does not have."""
    rows: Mapping[str, Any] = yaml.safe_load(_PATH.read_text(encoding="utf-8"))
    return {
        kind: Sizes(small=tuple(row["small"]), steps={0: row["step"]}, has_tiers=False)
        for kind, row in rows.items()
    }


def catalogued(resource: Resource) -> LustreKind | None:
    """Return the type of a new Lustre file system; None if the catalogue does not have it."""
    values = (kind_of(resource) or "", str(resource.properties.get("StorageType", "SSD")))
    deployment, storage = (value.lower().replace("_", "-") for value in values)
    return catalog().lustre.kind(deployment, storage)


def _sizes(resource: Resource) -> Sizes | None:
    """Return the valid capacities; None for persistent-2, which other rules check."""
    kind = catalogued(resource)
    if kind is None:
        name = f"{kind_of(resource)} on {resource.properties.get('StorageType', 'SSD')}"
        return _beside_the_catalogue().get(name)
    if kind.deployment == "persistent-2":
        return None
    return Sizes(small=kind.small_capacities_gib, steps=kind.capacity_steps_gib, has_tiers=kind.states_tier)


def kind_of(resource: Resource) -> str | None:
    """Return the deployment type of a new Lustre file system; None if it is not one or not known yet."""
    if resource.properties.get("FileSystemType") not in (None, "LUSTRE") or "BackupId" in resource.properties:
        return None
    if _CONFIGURATION in resource.properties and value_at(resource.properties, _CONFIGURATION) is None:
        return None
    lustre = lustre_of(resource.properties)
    return text_at(lustre, "DeploymentType") if "DeploymentType" in lustre else _DEFAULT


@rule(codes.OTHER_SIZES, SYSTEM)
def other_capacities_are_valid(resource: Resource) -> Iterator[Violation]:
    """Check StorageCapacity and PerUnitStorageThroughput of scratch and persistent-1."""
    lustre, sizes = lustre_of(resource.properties), _sizes(resource)
    if sizes is None:
        return
    kind = f"{kind_of(resource)} on {resource.properties.get('StorageType', 'SSD')}"
    throughput, left_out = number_at(lustre, _TIER), _TIER not in lustre
    tiers = sorted(sizes.steps) if sizes.has_tiers else []
    if (tiers and left_out) or (throughput is not None and throughput not in tiers):
        use = f"use {', '.join(map(str, tiers))}" if tiers else f"remove {_TIER}"
        message = "the throughput tier is not set" if left_out else f"{throughput} MB/s/TiB is not a tier"
        yield Violation(f"{_CONFIGURATION}/{_TIER}", f"{message} on {kind}", use)
    step = sizes.steps.get(throughput or 0) if tiers else next(iter(sizes.steps.values()))
    capacity = number_at(resource.properties, "StorageCapacity")
    if step is None or capacity is None or capacity in sizes.small:
        return
    if capacity <= 0 or capacity % step:
        below = max(0, capacity // step * step)
        message = f"{capacity} GiB is not a valid capacity of {kind}: it must be a multiple of {step}"
        yield Violation(
            "StorageCapacity", message, f"use {below} or {below + step}" if below else f"use {step}"
        )


@rule(CODES["LUS017"], SYSTEM)
def hdd_cache_is_set(resource: Resource) -> Iterator[Violation]:
    """Check StorageType HDD, DeploymentType and DriveCacheType."""
    kind = kind_of(resource)
    if kind is None or resource.properties.get("StorageType") != "HDD":
        return
    if kind != "PERSISTENT_1":
        use = "set DeploymentType: PERSISTENT_1, or StorageType: SSD"
        yield Violation("StorageType", f"{kind} does not support HDD storage", use)
    elif "DriveCacheType" not in lustre_of(resource.properties):
        yield Violation(
            f"{_CONFIGURATION}/DriveCacheType", "HDD storage requires DriveCacheType", "set NONE or READ"
        )


@rule(CODES["LUS015"], SYSTEM)
def version_fits_the_kind(resource: Resource) -> Iterator[Violation]:
    """Check FileSystemTypeVersion of persistent-2."""
    version = text_at(resource.properties, "FileSystemTypeVersion")
    if kind_of(resource) != "PERSISTENT_2" or version is None:
        return
    with_metadata = lustre_of(resource.properties).get("MetadataConfiguration") is not None
    if version == "2.10" or (version == "2.12" and with_metadata):
        feature = "a metadata configuration" if version == "2.12" else "persistent-2"
        yield Violation(
            "FileSystemTypeVersion",
            f"Lustre {version} does not support {feature}",
            "set FileSystemTypeVersion: '2.15'",
        )


@rule(codes.ONE_SUBNET, SYSTEM)
def system_has_one_subnet(resource: Resource) -> Iterator[Violation]:
    """Check SubnetIds of a Lustre file system."""
    subnets = items_at(resource.properties, "SubnetIds")
    if resource.properties.get("FileSystemType") == "LUSTRE" and len(subnets) > 1:
        yield Violation(
            "SubnetIds",
            f"the file system has {len(subnets)} subnets, but Lustre accepts 1",
            "keep the subnet in the nodes' zone",
        )


@rule(CODES["LUS020"], SYSTEM)
def scratch_has_no_backups(resource: Resource) -> Iterator[Violation]:
    """Check AutomaticBackupRetentionDays of scratch."""
    kind, name = kind_of(resource), "AutomaticBackupRetentionDays"
    days = number_at(lustre_of(resource.properties), name)
    if kind in _SCRATCH and days:
        yield Violation(
            f"{_CONFIGURATION}/{name}", f"{kind} does not support backups ({days} days)", f"remove {name}"
        )


@rule(codes.NODES_HAVE_A_CLIENT, "AWS::EKS::Nodegroup")
def nodes_have_a_client(resource: Resource) -> Iterator[Violation]:
    """Check that the AmiType has a Lustre client, if the stack has a Lustre file system."""
    image = text_at(resource.properties, "AmiType") or ""
    systems = [
        system for system in resource.of_type(SYSTEM) if system.properties.get("FileSystemType") == "LUSTRE"
    ]
    if systems and image.startswith("BOTTLEROCKET"):
        message = f"AMI type {image} has no Lustre client, but the stack has a Lustre file system"
        yield Violation("AmiType", message, "use an AL2023 image")


@rule(CODES["LUS021"], SYSTEM)
def scratch_has_no_key(resource: Resource) -> Iterator[Violation]:
    """Check that scratch does not have a KmsKeyId."""
    kind = kind_of(resource)
    if kind in _SCRATCH and resource.properties.get("KmsKeyId") is not None:
        use = "remove KmsKeyId, or set DeploymentType: PERSISTENT_2"
        yield Violation("KmsKeyId", f"{kind} does not support a KMS key", use)
