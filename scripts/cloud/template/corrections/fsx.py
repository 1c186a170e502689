"""Corrections for FSx: the schema lists properties as mutable that UpdateFileSystem does not support."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from config.catalog import catalog
from scripts.cloud.template.effects import Effect

from . import fsx_openzfs, retention
from .model import Change, Correct, Correction, older

_EFA = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html"
_METADATA = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-metadata-performance.html"
_THROUGHPUT = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-throughput-capacity.html"
_GROWTH = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-storage-capacity.html"
_VERSION = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-lustre-version.html"
_UPDATE = "https://docs.aws.amazon.com/fsx/latest/APIReference/API_UpdateFileSystem.html"
_TEMPLATE = "https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-fsx-filesystem-lustreconfiguration.html"
_LUSTRE = "LustreConfiguration"

# UpdateFileSystem does not list these for Lustre
_FIXED = ("DriveCacheType", "ImportPath", "ExportPath", "ImportedFileChunkSize")
_FIXED_ABOVE = ("StorageType", "NetworkType")
# CloudFormation's reference lists these with replacement, its schema does not
_REPLACING = ("DeploymentType", "CopyTagsToBackups")


def _fixed(change: Change) -> Iterator[Correction]:
    if bool(change.sides(_LUSTRE, "EfaEnabled")[0]) != bool(change.sides(_LUSTRE, "EfaEnabled")[1]):
        yield _refused((_LUSTRE, "EfaEnabled"), "EFA can only be enabled at creation", _EFA)
    for name in _FIXED:
        if change.differs(_LUSTRE, name):
            yield _refused(
                (_LUSTRE, name), "set at creation; UpdateFileSystem has no such parameter", _UPDATE
            )
    for name in _FIXED_ABOVE:
        if change.differs(name):
            yield _refused((name,), "UpdateFileSystem does not support this parameter for Lustre", _UPDATE)
    for name in _REPLACING:
        if change.differs(_LUSTRE, name):
            reason = "set at creation; another value requires a new file system"
            yield Correction((_LUSTRE, name), Effect.REPLACEMENT, reason, _TEMPLATE)


def _throughput(change: Change) -> Iterator[Correction]:
    path = (_LUSTRE, "PerUnitStorageThroughput")
    if change.differs(*path):
        was, will = change.sides(*path)
        if change.sides(_LUSTRE, "EfaEnabled")[0]:
            reason = (
                f"a file system with EFA does not support another throughput tier ({was} to {will} MB/s/TiB)"
            )
            yield _refused(path, reason, _EFA, "increase the capacity instead; throughput grows with it")
        else:
            reason = "the file system is unavailable for some minutes, and the next change must wait 6 hours"
            yield Correction(path, Effect.INTERRUPTION, reason, _THROUGHPUT)
    path = (_LUSTRE, "ThroughputCapacity")
    if lowered := change.lowered(*path):
        yield _refused(
            path,
            f"throughput capacity cannot be decreased from {lowered[0]:g} to {lowered[1]:g} MBps",
            _UPDATE,
        )


def _metadata(change: Change) -> Iterator[Correction]:
    path = (_LUSTRE, "MetadataConfiguration")
    was, will = change.sides(*path)
    if bool(was) != bool(will):
        yield _refused(path, "a metadata configuration can only be set at creation", _METADATA)
    elif lowered := change.lowered(*path, "Iops"):
        yield _refused(
            path, f"metadata IOPS cannot be decreased from {lowered[0]:g} to {lowered[1]:g}", _METADATA
        )
    elif lowered := _above_automatic(change):
        reason = (
            f"Mode AUTOMATIC sets {lowered[1]} metadata IOPS at this capacity, but IOPS cannot be "
            f"decreased from {lowered[0]}"
        )
        yield _refused(
            path,
            reason,
            _METADATA,
            "keep USER_PROVISIONED until the automatic value for the capacity is at least as high",
        )
    elif change.differs(*path) and change.differs("StorageCapacity"):
        yield _refused(
            path,
            "metadata IOPS and storage capacity cannot change in one update, and the second change "
            "must wait 6 hours",
            _METADATA,
            "increase the metadata IOPS first, in a separate deployment, and the capacity 6 hours "
            "later (STORAGE-10)",
        )


def _above_automatic(change: Change) -> tuple[int, int] | None:
    """Return the provisioned IOPS and the IOPS of mode AUTOMATIC if AUTOMATIC lowers them, otherwise None."""
    path = (_LUSTRE, "MetadataConfiguration")
    iops, gib = change.sides(*path, "Iops")[0], change.sides("StorageCapacity")[1]
    if change.sides(*path, "Mode")[1] != "AUTOMATIC" or not isinstance(iops, int) or not isinstance(gib, int):
        return None
    facts = catalog().lustre
    if gib < facts.small_capacities_gib[0]:
        return None
    automatic = facts.automatic_metadata_iops(gib)
    return (iops, automatic) if iops > automatic else None


def _capacity(change: Change) -> Iterator[Correction]:
    path = ("StorageCapacity",)
    if lowered := change.lowered(*path):
        reason = f"storage capacity cannot be decreased from {lowered[0]:g} GiB to {lowered[1]:g} GiB"
        yield _refused(
            path, reason, _UPDATE, "keep the capacity, or create a second file system and copy the files"
        )
    elif change.differs(*path):
        if change.sides(_LUSTRE, "DeploymentType")[0] in (None, "SCRATCH_1"):
            yield _refused(path, "SCRATCH_1 does not support more capacity", _UPDATE)
        else:
            reason = (
                "the file system is unavailable for some minutes and rebalances for hours to days; "
                "the next change must wait 6 hours"
            )
            yield Correction(path, Effect.INTERRUPTION, reason, _GROWTH)


def _lustre_version(change: Change) -> Iterator[Correction]:
    path = ("FileSystemTypeVersion",)
    was, will = change.sides(*path)
    if older(change, *path):
        yield _refused(path, f"Lustre does not support a downgrade from {was} to {will}", _UPDATE)
    elif was != will and was is not None and will is not None:
        reason = f"every client must be disconnected during the upgrade of Lustre from {was} to {will}"
        yield Correction(path, Effect.INTERRUPTION, reason, _VERSION)


def _refused(path: tuple[str, ...], reason: str, source: str, hint: str | None = None) -> Correction:
    return Correction(path, Effect.REFUSED, reason, source, hint)


def _for(kind: str, *corrections: Correct) -> Correct:
    def only(change: Change) -> Iterator[Correction]:
        if kind in change.sides("FileSystemType"):
            for correct in corrections:
                yield from correct(change)

    return only


CORRECTIONS: Mapping[str, tuple[Correct, ...]] = {
    "AWS::FSx::FileSystem": (
        _for("LUSTRE", _fixed, _throughput, _metadata, _capacity, _lustre_version),
        _for("OPENZFS", fsx_openzfs.fixed, fsx_openzfs.capacity, fsx_openzfs.throughput),
        *retention.FILE_SYSTEM,
    ),
    "AWS::FSx::Volume": (fsx_openzfs.volume,),
}
