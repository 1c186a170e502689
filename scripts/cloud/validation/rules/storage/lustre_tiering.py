"""Validation of Intelligent-Tiering file systems."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.rules.codes import CODES
from scripts.cloud.validation.rules.reading import Properties, number_at, structure_at, text_at, value_at
from scripts.cloud.validation.rules.registry import Refusal, Resource, rule

from .lustre import SYSTEM, lustre_of
from .lustre_kinds import kind_of

_CONFIGURATION, _TIERING = "LustreConfiguration", "INTELLIGENT_TIERING"
_CACHE, _METADATA = f"{_CONFIGURATION}/DataReadCacheConfiguration", f"{_CONFIGURATION}/MetadataConfiguration"


@rule(CODES["LUS014"], SYSTEM)
def tiering_states_what_it_wants(resource: Resource) -> Iterator[Refusal]:
    """Check capacity, throughput, metadata and read cache."""
    kind, lustre = kind_of(resource), lustre_of(resource.properties)
    if kind is None or resource.properties.get("StorageType") != _TIERING:
        return
    if kind != "PERSISTENT_2":
        use = "write DeploymentType: PERSISTENT_2"
        yield Refusal("StorageType", f"{kind} has no Intelligent-Tiering", use)
    if value_at(resource.properties, "StorageCapacity") is not None:
        yield Refusal("StorageCapacity", "a capacity, where storage is elastic", "take it out")
    if value_at(lustre, "PerUnitStorageThroughput") is not None:
        told = "a tier for each TiB, where throughput is stated as a whole"
        yield Refusal(f"{_CONFIGURATION}/PerUnitStorageThroughput", told, "write ThroughputCapacity instead")
    yield from _throughput(lustre, catalog().lustre.tiering.throughput_step_mbps)
    yield from _metadata(lustre, catalog().lustre.tiering.metadata_iops)


def _throughput(lustre: Properties, step: int) -> Iterator[Refusal]:
    throughput, most = number_at(lustre, "ThroughputCapacity"), catalog().lustre.tiering.throughput_max_mbps
    if "ThroughputCapacity" not in lustre or (
        throughput is not None and (not 0 < throughput <= most or throughput % step)
    ):
        told = "none" if throughput is None else f"{throughput} MB/s"
        yield Refusal(
            f"{_CONFIGURATION}/ThroughputCapacity", told, f"use a multiple of {step}, {most} at most"
        )
    yield from _cache(lustre, max(1, (throughput or step) // step))


def _metadata(lustre: Properties, allowed: tuple[int, ...]) -> Iterator[Refusal]:
    stated = structure_at(lustre, "MetadataConfiguration")
    mode, iops = text_at(stated, "Mode"), number_at(stated, "Iops")
    if mode == "AUTOMATIC" or (iops is not None and iops not in allowed):
        use = f"write Mode: USER_PROVISIONED with Iops {' or '.join(map(str, allowed))}"
        yield Refusal(_METADATA, f"{mode}{f' with {iops}' if iops else ''}, on Intelligent-Tiering", use)


def _cache(lustre: Properties, steps: int) -> Iterator[Refusal]:
    if lustre.get("DataReadCacheConfiguration") is None:
        told = "none, beside Intelligent-Tiering"
        yield Refusal(_CACHE, told, "write {SizingMode: NO_CACHE} or another mode")
        return
    stated = structure_at(lustre, "DataReadCacheConfiguration")
    mode, size = text_at(stated, "SizingMode"), number_at(stated, "SizeGiB")
    least, most = (bound * steps for bound in catalog().lustre.tiering.cache_gib)
    if mode is None or size is None:
        return
    if mode != "USER_PROVISIONED":
        yield Refusal(f"{_CACHE}/SizeGiB", f"a size beside {mode}", "take it out, or write USER_PROVISIONED")
    elif not least <= size <= most:
        yield Refusal(f"{_CACHE}/SizeGiB", f"{size} GiB", f"use {least} to {most} GiB at this throughput")
