"""Where an update does not do what the provider's schema says: what the service refuses or interrupts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Properties = Mapping[str, Any]
_EFA = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html"
_METADATA = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-metadata-performance.html"
_UPDATE = "https://docs.aws.amazon.com/fsx/latest/APIReference/API_UpdateFileSystem.html"


@dataclass(frozen=True)
class Correction:
    """A property, what its change really does, why, and where the service says so."""

    path: tuple[str, ...]
    effect: str
    reason: str
    source: str


def corrected(resource_type: str, before: Properties, after: Properties) -> Iterator[Correction]:
    """The corrections that apply to this change of a resource."""
    for correct in _CORRECTIONS.get(resource_type, ()):
        yield from correct(before, after)


def _fixed_lustre(before: Properties, after: Properties) -> Iterator[Correction]:
    old, new = (p.get("LustreConfiguration", {}) for p in (before, after))
    for name in ("EfaEnabled", "DriveCacheType", "DeploymentType"):
        if old.get(name) != new.get(name):
            yield _lustre(name, "UpdateFileSystem has no such parameter", _UPDATE)
    if old.get("EfaEnabled") and old.get("PerUnitStorageThroughput") != new.get("PerUnitStorageThroughput"):
        yield _lustre("PerUnitStorageThroughput", "fixed on a file system with EFA", _EFA)


def _metadata(before: Properties, after: Properties) -> Iterator[Correction]:
    was, will = (p.get("LustreConfiguration", {}).get("MetadataConfiguration", {}) for p in (before, after))
    if bool(was) != bool(will):
        yield _lustre("MetadataConfiguration", "set at creation or never", _METADATA)
    elif was.get("Iops") and (will.get("Iops") or 0) < was["Iops"] and will.get("Mode") == "USER_PROVISIONED":
        told = f"metadata IOPS only grow: {was['Iops']} to {will.get('Iops')}"
        yield _lustre("MetadataConfiguration", told, _METADATA)


def _capacity(before: Properties, after: Properties) -> Iterator[Correction]:
    was, will = before.get("StorageCapacity"), after.get("StorageCapacity")
    if was is not None and will is not None and int(will) < int(was):
        told = f"storage capacity cannot be decreased: {was} GiB to {will} GiB"
        yield Correction(("StorageCapacity",), "refused", told, _UPDATE)


def _lustre(name: str, reason: str, source: str) -> Correction:
    return Correction(("LustreConfiguration", name), "refused", reason, source)


_CORRECTIONS: Mapping[str, tuple[Callable[[Properties, Properties], Iterator[Correction]], ...]] = {
    "AWS::FSx::FileSystem": (_fixed_lustre, _metadata, _capacity),
}
