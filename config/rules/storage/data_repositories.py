"""Rules for data repository associations: number, paths, prefixes and events."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from config.catalog import catalog
from config.design.model import Design
from config.design.storage.lustre import declared_lustre
from config.design.storage.repositories import paths_nest
from config.diagnostics import Path
from config.profile.source.fault_messages import shown
from config.profile.storage.lustre import NewLustre
from config.profile.storage.repository import DataRepository
from config.rules.parts import is_plain_path, new_lustre
from config.rules.registry import ERROR, WARNING, Finding, rule
from config.rules.storage.other_kinds import as_kind

_LINKS = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html"
_API = "https://docs.aws.amazon.com/fsx/latest/APIReference/API_DataRepositoryAssociation.html"
_TASKS = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/import-data-repository-task-dra.html"
_LONGEST_PATH = 4096


@rule(
    "DRA001", ERROR, "a file system has at most 8 data repository associations (DRAs)",
    why="FSx for Lustre rejects a ninth association on the same file system.", source=_LINKS, reads="storage", where="data-repositories",
    ages="the quota of data repository associations per file system",
)  # fmt: skip
def associations_are_within_the_limit(design: Design) -> Iterator[Finding]:
    """Check the number of data repository associations of each file system."""
    most = catalog().lustre.max_data_repository_associations
    for at, lustre in new_lustre(design):
        if len(lustre.data_repositories) > most:
            yield Finding(
                at=(*at, "data_repositories"),
                message=f"{len(lustre.data_repositories)} data repositories are declared, but the maximum is {most}",
                hint="declare one data repository for several directories that have a common prefix",
            )


@rule(
    "DRA002", ERROR, "paths of data repositories are absolute and do not overlap",
    why="FSx rejects an association whose directory contains, or is inside, the directory of another association. An association "
    "on `/` overlaps with all other associations.",
    source=_API, reads="storage", where="data-repositories",
)  # fmt: skip
def repository_paths_do_not_nest(design: Design) -> Iterator[Finding]:
    """Check that paths are plain and do not overlap on one file system."""
    seen: dict[Path, list[str]] = {}
    for at, repository in design.placed_repositories:
        path = repository.path
        beside = seen.setdefault(at[:-1], [])
        if not _can_be_linked(path):
            plain = "/".join(re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-") for name in path.split("/"))
            yield Finding(
                at=(*at, "path"),
                message=f"{shown(path)} is not an absolute path of plain names with at most {_LONGEST_PATH} characters",
                hint=f"use /{re.sub('/+', '/', plain).strip('/')[:40].strip('/') or 'datasets'}",
            )
            continue
        clash = next((other for other in beside if paths_nest(path, other)), None) if beside else None
        if clash is not None:
            yield Finding(
                at=(*at, "path"),
                message=f"the paths {path} and {clash} overlap",
                hint=f"set `path` to a directory outside {clash}",
            )
        beside.append(path)


@lru_cache(maxsize=1024)
def _can_be_linked(path: str) -> bool:
    return path == "/" or (len(path) <= _LONGEST_PATH and is_plain_path(path.removesuffix("/")))


@rule(
    "DRA003", ERROR, "prefixes of data repositories in one bucket do not overlap",
    why="FSx rejects overlapping prefixes on one file system. Two associations that export to the same prefix overwrite each other's "
    "objects.",
    source=_LINKS, reads="storage", where="existing-bucket",
)  # fmt: skip
def repository_prefixes_do_not_nest(design: Design) -> Iterator[Finding]:
    """Check that associations with existing buckets do not overlap on one file system."""
    seen: dict[Path, list[DataRepository]] = {}
    for at, repository in design.placed_repositories:
        if repository.bucket == "new":
            continue
        beside = seen.setdefault(at[:-1], [])
        clash = next((other for other in beside if _in_one_prefix(repository, other)), None)
        if clash is not None:
            yield Finding(
                at=(*at, "prefix"),
                message=f"the prefixes {_place(repository)} and {_place(clash)} overlap",
                hint=f"set `prefix` to a prefix that does not overlap with {_place(clash)}",
            )
        beside.append(repository)


def _in_one_prefix(one: DataRepository, other: DataRepository) -> bool:
    return one.bucket == other.bucket and paths_nest(one.prefix, other.prefix)


def _place(repository: DataRepository) -> str:
    return f"{repository.bucket}/{repository.prefix}"


@rule(
    "DRA011", ERROR, "only one file system exports to a prefix",
    why="FSx allows several file systems to export to one prefix, but each export overwrites objects of the other file systems.",
    source=_LINKS, reads="storage data", where="several-mounts data",
)  # fmt: skip
def one_system_exports_to_a_prefix(design: Design) -> Iterator[Finding]:
    """Check that file systems, including those of the data profile, export to different prefixes."""
    seen = [
        (("data",), link)
        for lustre in declared_lustre(design.data_profile)
        for link in (lustre.data_repositories if isinstance(lustre, NewLustre) else ())
    ]
    placed = [(at[:-2], at, link) for at, link in design.placed_repositories]
    theirs: list[tuple[Path, DataRepository]] = [*seen]
    for system, at, link in placed:
        if link.bucket == "new" or not link.export_events:
            continue
        clash = next(
            (
                other
                for home, other in theirs
                if home != system and other.export_events and _in_one_prefix(link, other)
            ),
            None,
        )
        if clash is not None:
            yield Finding(
                at=(*at, "export"),
                message=f"two file systems export to {_place(link)}: one exports {link.path}, the other exports {clash.path}",
                hint="set `prefix` to a prefix to which no other file system exports, or set `export: []`",
            )
        theirs.append((system, link))


@rule(
    "DRA009", ERROR, "data repositories are declared only on a file system that supports data repository associations",
    why="Scratch-1 file systems, Intelligent-Tiering and Lustre 2.10 do not support data repository associations.",
    source=_API, reads="storage", where="intelligent-tiering",
)  # fmt: skip
def type_supports_associations(design: Design) -> Iterator[Finding]:
    """Check that the type of each file system with data repositories supports associations."""
    for at, lustre, kind in design.lustre_kinds:
        if isinstance(lustre, NewLustre) and lustre.data_repositories and not kind.data_repositories:
            yield Finding(
                at=(*at, "data_repositories"),
                message=f"{kind.name} does not support data repositories",
                hint=f"set {as_kind(design, lustre, lustre.deployment)}, or `data_repositories: []`",
            )


@rule(
    "DRA012", ERROR, "the objects of a bucket are imported only once, at creation or by a task",
    why="With both imports, the task lists all objects a second time. The deployment also waits until the creation of the "
    "association has imported all objects (STORAGE-17).",
    source=_TASKS, reads="storage", where="import-task",
)  # fmt: skip
def metadata_is_imported_once(design: Design) -> Iterator[Finding]:
    """Check that only one of `import_metadata_on_create` and `import_by_task` is set."""
    for at, repository in design.placed_repositories:
        if repository.import_metadata_on_create and repository.import_by_task:
            yield Finding(
                at=(*at, "import_by_task"),
                message=f"{repository.path} imports all objects twice: when the association is created, and by a task",
                hint="for millions of objects, set `import_metadata_on_create: false`; for fewer objects, set `import_by_task: "
                "false`",
            )


@rule(
    "DRA005", WARNING, "a data repository imports or exports changes",
    why="Automatic import and export are off by default. New objects then do not appear in the file system, and new files are not "
    "copied to S3 (STORAGE-08).",
    source=_API, reads="storage", where="data-repositories",
)  # fmt: skip
def repository_moves_data(design: Design) -> Iterator[Finding]:
    """Check that each association has an event; yield one finding per file system."""
    idle: dict[Path, list[tuple[Path, str]]] = {}
    for at, repository in design.placed_repositories:
        if not repository.import_events and not repository.export_events:
            idle.setdefault(at[:-1], []).append((at, repository.path))
    for links in idle.values():
        paths = [path for _, path in links]
        several = len(paths) > 1
        yield Finding(
            at=links[0][0],
            message=f"{', '.join(paths)} {'neither import nor export' if several else 'neither imports nor exports'} "
            "changes",
            hint=f"set `import: [new, changed, deleted]` or `export: [new, changed, deleted]`"
            f"{' for each' if several else ''}",
        )


@rule(
    "DRA006", ERROR, "each event of a data repository is listed only once",
    why="The FSx API rejects a list that contains the same event twice.", source=_API, reads="storage", where="data-repositories",
)  # fmt: skip
def events_are_listed_once(design: Design) -> Iterator[Finding]:
    """Check that no event is listed twice."""
    for at, repository in design.placed_repositories:
        both = (repository.import_events, repository.export_events)
        if _is_listed_once(*both):
            continue
        for key, events in zip(("import", "export"), both, strict=True):
            if len(set(events)) != len(events):
                yield Finding(
                    at=(*at, key),
                    message=f"`{key}` lists the same event twice: {', '.join(events)}",
                    hint=f"set `{key}: [{', '.join(sorted(set(events)))}]`",
                )


@lru_cache(maxsize=256)
def _is_listed_once(*both: tuple[str, ...]) -> bool:
    return all(len(events) == len(set(events)) for events in both)
