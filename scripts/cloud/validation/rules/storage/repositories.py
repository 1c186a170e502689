"""Validation of data repository associations."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.design.names import is_bucket_name, is_directory_bucket
from config.design.storage.repositories import paths_nest
from config.rules.codes import CODES
from config.rules.deployed import storage as codes
from config.rules.parts import is_plain_path
from scripts.cloud.validation.rules.reading import Properties, items_at, number_at, text_at, value_at
from scripts.cloud.validation.rules.registry import Resource, Sibling, Violation, rule

from .lustre import LEGACY, SYSTEM, lustre_of

_TYPE = "AWS::FSx::DataRepositoryAssociation"
_SCHEME = "s3://"
# default of CreateFileSystem without a version (FileSystemTypeVersion in its reference)
_OLD_BY_DEFAULT = ("SCRATCH_1", "SCRATCH_2", "PERSISTENT_1")


def _others(resource: Resource) -> list[Sibling]:
    """Return the associations of the same file system."""
    own = resource.properties.get("FileSystemId")
    return [other for other in resource.of_type(_TYPE) if other.properties.get("FileSystemId") == own]


def _system(resource: Resource) -> Properties:
    """Return the properties of the file system, empty if the stack does not create it."""
    system = resource.at(SYSTEM, "FileSystemId")
    return system.properties if system else {}


@rule(CODES["DRA001"], _TYPE)
def associations_are_within_the_limit(resource: Resource) -> Iterator[Violation]:
    """Check the number of associations of a file system."""
    most, number = catalog().lustre.max_data_repository_associations, len(_others(resource)) + 1
    if number > most:
        yield Violation(
            "FileSystemId",
            f"the file system already has {most} associations",
            "use one association for a common prefix",
        )


@rule(CODES["DRA002"], _TYPE)
def paths_do_not_nest(resource: Resource) -> Iterator[Violation]:
    """Check FileSystemPath, its format and overlaps."""
    path = text_at(resource.properties, "FileSystemPath")
    if path is None:
        return
    if path != "/" and not is_plain_path(path.removesuffix("/")):
        yield Violation("FileSystemPath", f"{path!r} is not a plain absolute path", "use /name")
        return
    for other in _others(resource):
        theirs = text_at(other.properties, "FileSystemPath")
        if theirs is not None and paths_nest(path, theirs):
            yield Violation(
                "FileSystemPath", f"{path} and {theirs} overlap", "use a different path for each association"
            )


@rule(CODES["DRA003"], _TYPE)
def prefixes_do_not_nest(resource: Resource) -> Iterator[Violation]:
    """Check DataRepositoryPath for overlaps."""
    place = text_at(resource.properties, "DataRepositoryPath")
    if place is None:
        return
    for other in _others(resource):
        theirs = text_at(other.properties, "DataRepositoryPath")
        if theirs is not None and paths_nest(place, theirs):
            yield Violation(
                "DataRepositoryPath",
                f"{place} and {theirs} overlap",
                "use a different prefix for each association",
            )


@rule(CODES["DRA004"], _TYPE)
def bucket_can_be_linked(resource: Resource) -> Iterator[Violation]:
    """Check the bucket of DataRepositoryPath."""
    place = text_at(resource.properties, "DataRepositoryPath")
    if place is None or not place.startswith(_SCHEME):
        return
    name = place.removeprefix(_SCHEME).partition("/")[0]
    if is_directory_bucket(name):
        yield Violation("DataRepositoryPath", f"{name} is a directory bucket", "use a general purpose bucket")
    elif not is_bucket_name(name):
        yield Violation(
            "DataRepositoryPath", f"{name!r} is not a valid bucket name", "use s3://bucket/prefix/"
        )


@rule(CODES["DRA006"], _TYPE)
def events_are_listed_once(resource: Resource) -> Iterator[Violation]:
    """Check that AutoImportPolicy and AutoExportPolicy list each event once."""
    for policy in ("AutoImportPolicy", "AutoExportPolicy"):
        events = items_at(resource.properties, "S3", policy, "Events")
        twice = sorted({str(event) for event in events if events.count(event) > 1})
        if twice:
            yield Violation(
                f"S3/{policy}/Events",
                f"the list has an event twice: {', '.join(twice)}",
                "list each event once",
            )


@rule(CODES["DRA009"], _TYPE)
def file_system_supports_associations(resource: Resource) -> Iterator[Violation]:
    """Check the type of the file system."""
    system = _system(resource)
    if not system:
        return
    lustre, version = lustre_of(system), system.get("FileSystemTypeVersion")
    kind = lustre.get("DeploymentType", "SCRATCH_1")
    kinds = {
        "SCRATCH_1": kind == "SCRATCH_1",
        "Intelligent-Tiering": system.get("StorageType") == "INTELLIGENT_TIERING",
        "Lustre 2.10": version == "2.10" or (version is None and kind in _OLD_BY_DEFAULT),
    }
    for name in (name for name, is_so in kinds.items() if is_so):
        yield Violation(
            "FileSystemId", f"{name} does not support associations", "use persistent-2 on SSD with 2.15"
        )


@rule(CODES["LUS011"], _TYPE)
def linked_systems_have_no_backups(resource: Resource) -> Iterator[Violation]:
    """Check that the associated file system does not have backups."""
    lustre = lustre_of(_system(resource))
    if number_at(lustre, "AutomaticBackupRetentionDays") or lustre.get("CopyTagsToBackups") is True:
        use = "remove the backup properties of the file system (STORAGE-09)"
        yield Violation("FileSystemId", "backups are on for the file system", use)


@rule(codes.LINKED_ONCE, _TYPE)
def linked_systems_have_no_paths(resource: Resource) -> Iterator[Violation]:
    """Report ImportPath and similar properties of the associated file system, unless it is persistent-2."""
    lustre = lustre_of(_system(resource))
    for name in LEGACY:
        if value_at(lustre, name) is not None and lustre.get("DeploymentType") != "PERSISTENT_2":
            yield Violation(
                "FileSystemId", f"the file system has an {name}", f"remove {name} from the file system"
            )
