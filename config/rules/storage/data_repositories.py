"""Data repository associations that the service makes, and that move what the user thinks they move."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from config.catalog import catalog
from config.design.model import Design
from config.design.storage.lustre import stated_lustre
from config.design.storage.repositories import paths_nest
from config.diagnostics import Path
from config.profile.source.fault_words import shown
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
    "DRA001", ERROR, "a file system has at most 8 data repository associations",
    why="The service refuses the ninth.", source=_LINKS, reads="storage", where="data-repositories",
    ages="the quota of associations of a file system",
)  # fmt: skip
def associations_are_few(design: Design) -> Iterator[Finding]:
    """Their number."""
    most = catalog().lustre.max_data_repository_associations
    for at, lustre in new_lustre(design):
        if len(lustre.data_repositories) > most:
            yield Finding(
                at=(*at, "data_repositories"),
                message=f"{len(lustre.data_repositories)} data repositories, {most} is the most",
                hint="link a common prefix instead of each directory",
            )


@rule(
    "DRA002", ERROR, "paths of data repositories are absolute and do not nest",
    why="The service refuses an association below another one, and `/` beside any other.",
    source=_API, reads="storage", where="data-repositories",
)  # fmt: skip
def repository_paths_do_not_nest(design: Design) -> Iterator[Finding]:
    """Forms and nesting of paths in each file system."""
    seen: dict[Path, list[str]] = {}
    for at, repository in design.placed_repositories:
        path = repository.path
        beside = seen.setdefault(at[:-1], [])
        if not _can_be_linked(path):
            plain = "/".join(re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-") for name in path.split("/"))
            yield Finding(
                at=(*at, "path"),
                message=f"{shown(path)} is not a plain absolute path of at most {_LONGEST_PATH} characters",
                hint=f"write /{re.sub('/+', '/', plain).strip('/')[:40].strip('/') or 'datasets'}",
            )
            continue
        clash = next((other for other in beside if paths_nest(path, other)), None) if beside else None
        if clash is not None:
            yield Finding(
                at=(*at, "path"),
                message=f"{path} and {clash} overlap",
                hint="give each data repository a directory of its own, beside the others",
            )
        beside.append(path)


@lru_cache(maxsize=1024)
def _can_be_linked(path: str) -> bool:
    return path == "/" or (len(path) <= _LONGEST_PATH and is_plain_path(path.removesuffix("/")))


@rule(
    "DRA003", ERROR, "prefixes of data repositories in one bucket do not nest",
    why="The service refuses nested prefixes, and two links that export to one prefix overwrite each other.",
    source=_LINKS, reads="storage", where="existing-bucket",
)  # fmt: skip
def repository_prefixes_do_not_nest(design: Design) -> Iterator[Finding]:
    """Bucket and prefix of associations with existing buckets, in each file system."""
    seen: dict[Path, list[DataRepository]] = {}
    for at, repository in design.placed_repositories:
        if repository.bucket == "new":
            continue
        beside = seen.setdefault(at[:-1], [])
        clash = next((other for other in beside if _in_one_prefix(repository, other)), None)
        if clash is not None:
            yield Finding(
                at=(*at, "prefix"),
                message=f"{_place(repository)} and {_place(clash)} overlap",
                hint="give each data repository a prefix of its own, beside the others",
            )
        beside.append(repository)


def _in_one_prefix(one: DataRepository, other: DataRepository) -> bool:
    return one.bucket == other.bucket and paths_nest(one.prefix, other.prefix)


def _place(repository: DataRepository) -> str:
    return f"{repository.bucket}/{repository.prefix}"


@rule(
    "DRA011", ERROR, "one file system exports to a prefix",
    why="FSx lets several file systems export to one prefix, and the last one to write an object wins.",
    source=_LINKS, reads="storage data", where="several-mounts data",
)  # fmt: skip
def one_system_exports_to_a_prefix(design: Design) -> Iterator[Finding]:
    """Exports of different file systems, those of the data profile too, to existing buckets."""
    seen = [
        (("data",), link)
        for lustre in stated_lustre(design.data_profile)
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
                message=f"{link.path} exports to {_place(link)}, and so does {clash.path} of another file system",
                hint="export to a prefix of its own, or import only: `export: []`",
            )
        theirs.append((system, link))


@rule(
    "DRA009", ERROR, "a linked file system is one that takes data repository associations",
    why="Scratch-1, Intelligent-Tiering and Lustre 2.10, the default before persistent-2, take none.",
    source=_API, reads="storage", where="intelligent-tiering",
)  # fmt: skip
def linked_systems_take_links(design: Design) -> Iterator[Finding]:
    """The kind of a file system with data repositories."""
    for at, lustre, kind in design.lustre_kinds:
        if isinstance(lustre, NewLustre) and lustre.data_repositories and not kind.data_repositories:
            yield Finding(
                at=(*at, "data_repositories"),
                message=f"data repositories on {kind.name}, which takes none",
                hint=f"write {as_kind(design, lustre, lustre.deployment)}, or `data_repositories: []`",
            )


@rule(
    "DRA012", ERROR, "a bucket is listed once: at creation or by a task",
    why="A task lists what creation has listed already, and creation holds everything up for as long (STORAGE-17).",
    source=_TASKS, reads="storage", where="import-task",
)  # fmt: skip
def metadata_is_imported_once(design: Design) -> Iterator[Finding]:
    """Both ways of listing a bucket beside each other."""
    for at, repository in design.placed_repositories:
        if repository.import_metadata_on_create and repository.import_by_task:
            yield Finding(
                at=(*at, "import_by_task"),
                message=f"{repository.path} is listed at creation and by a task",
                hint="write `import_metadata_on_create: false` for millions of objects, else `import_by_task: false`",
            )


@rule(
    "DRA005", WARNING, "a data repository imports or exports something",
    why="Events are off by default: the link then lists nothing new and saves nothing (STORAGE-08).",
    source=_API, reads="storage", where="data-repositories",
)  # fmt: skip
def repository_moves_data(design: Design) -> Iterator[Finding]:
    """At least one event of each; one finding for all of a file system, at the first."""
    still: dict[Path, list[tuple[Path, str]]] = {}
    for at, repository in design.placed_repositories:
        if not repository.import_events and not repository.export_events:
            still.setdefault(at[:-1], []).append((at, repository.path))
    for links in still.values():
        paths = [path for _, path in links]
        several = len(paths) > 1
        yield Finding(
            at=links[0][0],
            message=f"{', '.join(paths)} {'neither import nor export' if several else 'neither imports nor exports'} "
            "changes",
            hint=f"add `import: [new, changed, deleted]` or `export: [new, changed, deleted]`"
            f"{' to each' if several else ''}",
        )


@rule(
    "DRA006", ERROR, "an event of a data repository is listed once",
    why="The API refuses a repeated event.", source=_API, reads="storage", where="data-repositories",
)  # fmt: skip
def events_are_listed_once(design: Design) -> Iterator[Finding]:
    """No event twice."""
    for at, repository in design.placed_repositories:
        both = (repository.import_events, repository.export_events)
        if _is_listed_once(*both):
            continue
        for key, events in zip(("import", "export"), both, strict=True):
            if len(set(events)) != len(events):
                yield Finding(
                    at=(*at, key),
                    message=f"{', '.join(events)}: an event is listed twice",
                    hint=f"write [{', '.join(sorted(set(events)))}]",
                )


@lru_cache(maxsize=256)
def _is_listed_once(*both: tuple[str, ...]) -> bool:
    return all(len(events) == len(set(events)) for events in both)
