"""What FSx refuses of data repository associations."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.design.storage import paths_nest
from config.rules import CODES, deployed
from config.rules.parts import is_plain_path

from .registry import Refusal, Resource, Sibling, is_later, rule

_TYPE, _SYSTEM = "AWS::FSx::DataRepositoryAssociation", "AWS::FSx::FileSystem"


def _others(resource: Resource) -> list[Sibling]:
    """The associations of the same file system."""
    own = resource.properties.get("FileSystemId")
    return [other for other in resource.of_type(_TYPE) if other.properties.get("FileSystemId") == own]


def _system(resource: Resource) -> Sibling | None:
    own = resource.properties.get("FileSystemId")
    return next((system for system in resource.of_type(_SYSTEM) if own in system.ids), None)


@rule(CODES["DRA001"], _TYPE)
def associations_are_few(resource: Resource) -> Iterator[Refusal]:
    """Their number on one file system."""
    most, number = catalog().lustre.max_data_repository_associations, len(_others(resource)) + 1
    if number > most:
        yield Refusal("FileSystemId", f"the file system has {most} links already", "link a common prefix")


@rule(CODES["DRA002"], _TYPE)
def paths_do_not_nest(resource: Resource) -> Iterator[Refusal]:
    """FileSystemPath: its form, and beside the others."""
    path = resource.get("FileSystemPath")
    if not isinstance(path, str):
        return
    if path != "/" and not is_plain_path(path.removesuffix("/")):
        yield Refusal("FileSystemPath", f"{path!r} is not a plain absolute path", "write /name")
        return
    for other in _others(resource):
        theirs = other.properties.get("FileSystemPath", "/")
        if not is_later(theirs) and paths_nest(path, theirs):
            yield Refusal(
                "FileSystemPath", f"{path} and {theirs} overlap", "give each association a path of its own"
            )


@rule(CODES["DRA003"], _TYPE)
def prefixes_do_not_nest(resource: Resource) -> Iterator[Refusal]:
    """DataRepositoryPath beside the others."""
    place = resource.get("DataRepositoryPath")
    if not isinstance(place, str):
        return
    for other in _others(resource):
        theirs = other.properties.get("DataRepositoryPath", "")
        if not is_later(theirs) and paths_nest(place, theirs):
            yield Refusal(
                "DataRepositoryPath",
                f"{place} and {theirs} overlap",
                "give each association a prefix of its own",
            )


@rule(CODES["DRA006"], _TYPE)
def events_are_listed_once(resource: Resource) -> Iterator[Refusal]:
    """Events of both policies."""
    for policy in ("AutoImportPolicy", "AutoExportPolicy"):
        events = resource.get("S3", policy, "Events")
        if isinstance(events, list) and len(set(events)) < len(events):
            twice = sorted({event for event in events if events.count(event) > 1})
            yield Refusal(
                f"S3/{policy}/Events", f"{', '.join(twice)} is listed twice", "list each event once"
            )


@rule(deployed.LINKABLE, _TYPE)
def file_system_takes_links(resource: Resource) -> Iterator[Refusal]:
    """The file system's kind."""
    system = _system(resource)
    if system is None:
        return
    lustre = system.properties.get("LustreConfiguration", {})
    kinds = {
        "SCRATCH_1": lustre.get("DeploymentType") == "SCRATCH_1",
        "Intelligent-Tiering": system.properties.get("StorageType") == "INTELLIGENT_TIERING",
        "Lustre 2.10": system.properties.get("FileSystemTypeVersion") == "2.10",
    }
    for kind in (name for name, is_so in kinds.items() if is_so):
        yield Refusal("FileSystemId", f"{kind} takes no associations", "use persistent-2 on SSD with 2.15")


@rule(deployed.NO_BACKUPS_WHEN_LINKED, _TYPE)
def linked_systems_take_no_backups(resource: Resource) -> Iterator[Refusal]:
    """Backups of the file system that is linked."""
    system = _system(resource)
    lustre = system.properties.get("LustreConfiguration", {}) if system else {}
    if lustre.get("AutomaticBackupRetentionDays") or lustre.get("CopyTagsToBackups"):
        yield Refusal(
            "FileSystemId", "the file system takes backups", "take its backup properties out (STORAGE-09)"
        )


RULES = (
    associations_are_few,
    paths_do_not_nest,
    prefixes_do_not_nest,
    events_are_listed_once,
    file_system_takes_links,
    linked_systems_take_no_backups,
)
