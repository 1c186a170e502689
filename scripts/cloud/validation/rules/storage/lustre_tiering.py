"""Validation of Intelligent-Tiering file systems."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.rules.codes import CODES
from scripts.cloud.validation.rules.reading import Properties, number_at, structure_at, text_at, value_at
from scripts.cloud.validation.rules.registry import Resource, Violation, rule

from .lustre import SYSTEM, lustre_of
from .lustre_kinds import kind_of

_CONFIGURATION, _TIERING = "LustreConfiguration", "INTELLIGENT_TIERING"
_CACHE, _METADATA = f"{_CONFIGURATION}/DataReadCacheConfiguration", f"{_CONFIGURATION}/MetadataConfiguration"


@rule(CODES["LUS014"], SYSTEM)
def tiering_properties_are_set(resource: Resource) -> Iterator[Violation]:
    """Check capacity, throughput, metadata and read cache."""
    kind, lustre = kind_of(resource), lustre_of(resource.properties)
    if kind is None or resource.properties.get("StorageType") != _TIERING:
        return
    if kind != "PERSISTENT_2":
        use = "set DeploymentType: PERSISTENT_2"
        yield Violation("StorageType", f"{kind} does not support Intelligent-Tiering", use)
    if value_at(resource.properties, "StorageCapacity") is not None:
        yield Violation(
            "StorageCapacity", "Intelligent-Tiering does not support a capacity", "remove StorageCapacity"
        )
    if value_at(lustre, "PerUnitStorageThroughput") is not None:
        message = "Intelligent-Tiering does not support a throughput tier"
        yield Violation(
            f"{_CONFIGURATION}/PerUnitStorageThroughput", message, "set ThroughputCapacity instead"
        )
    yield from _throughput(lustre, catalog().lustre.tiering.throughput_step_mbps)
    yield from _metadata(lustre, catalog().lustre.tiering.metadata_iops)


def _throughput(lustre: Properties, step: int) -> Iterator[Violation]:
    throughput, most = number_at(lustre, "ThroughputCapacity"), catalog().lustre.tiering.throughput_max_mbps
    if "ThroughputCapacity" not in lustre or (
        throughput is not None and (not 0 < throughput <= most or throughput % step)
    ):
        message = "ThroughputCapacity is missing" if throughput is None else f"{throughput} MB/s is not valid"
        yield Violation(
            f"{_CONFIGURATION}/ThroughputCapacity", message, f"use a multiple of {step}, at most {most}"
        )
    yield from _cache(lustre, max(1, (throughput or step) // step))


def _metadata(lustre: Properties, allowed: tuple[int, ...]) -> Iterator[Violation]:
    declared = structure_at(lustre, "MetadataConfiguration")
    mode, iops = text_at(declared, "Mode"), number_at(declared, "Iops")
    if mode == "AUTOMATIC" or (iops is not None and iops not in allowed):
        use = f"set Mode: USER_PROVISIONED with Iops {' or '.join(map(str, allowed))}"
        yield Violation(
            _METADATA, f"{mode}{f' with {iops}' if iops else ''} is not valid on Intelligent-Tiering", use
        )


def _cache(lustre: Properties, steps: int) -> Iterator[Violation]:
    if lustre.get("DataReadCacheConfiguration") is None:
        message = "Intelligent-Tiering requires DataReadCacheConfiguration"
        yield Violation(_CACHE, message, "set {SizingMode: NO_CACHE} or another mode")
        return
    declared = structure_at(lustre, "DataReadCacheConfiguration")
    mode, size = text_at(declared, "SizingMode"), number_at(declared, "SizeGiB")
    least, most = (bound * steps for bound in catalog().lustre.tiering.cache_gib)
    if mode is None or size is None:
        return
    if mode != "USER_PROVISIONED":
        yield Violation(
            f"{_CACHE}/SizeGiB", f"{mode} does not support a size", "remove SizeGiB, or set USER_PROVISIONED"
        )
    elif not least <= size <= most:
        yield Violation(
            f"{_CACHE}/SizeGiB",
            f"a cache of {size} GiB is not valid",
            f"use {least} to {most} GiB at this throughput",
        )
