"""Data repository associations that the service makes, and that move what the user thinks they move."""

from __future__ import annotations

import re
from collections.abc import Iterator

from config.catalog import catalog
from config.design.model import Design
from config.design.names import is_bucket_name, is_directory_bucket
from config.design.storage import paths_nest
from config.profile.fault_words import shown
from config.rules.parts import LUSTRE, is_plain_path, own_lustre, repositories
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule

_LINKS = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html"
_API = "https://docs.aws.amazon.com/fsx/latest/APIReference/API_DataRepositoryAssociation.html"
_BUCKETS = "https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html"
_LONGEST_PATH = 4096
_PREFIX = re.compile(r"[A-Za-z0-9!_.*'()/-]{0,1000}")


@rule(
    "DRA001", ERROR, "a file system has at most 8 data repository associations",
    why="The service refuses the ninth.", source=_LINKS, reads="storage", where="lustre",
    ages="the quota of associations of a file system",
)  # fmt: skip
def associations_are_few(design: Design) -> Iterator[Finding]:
    """Their number."""
    lustre = own_lustre(design)
    most = catalog().lustre.max_data_repository_associations
    if lustre and len(lustre.data_repositories) > most:
        yield Finding(
            at=(*LUSTRE, "data_repositories"),
            message=f"{len(lustre.data_repositories)} data repositories, {most} is the most",
            hint="link a common prefix instead of each directory",
        )


@rule(
    "DRA002", ERROR, "paths of data repositories are absolute and do not nest",
    why="The service refuses an association below another one, and `/` beside any other.",
    source=_API, reads="storage", where="lustre",
)  # fmt: skip
def repository_paths_do_not_nest(design: Design) -> Iterator[Finding]:
    """Forms and nesting of paths in the file system."""
    seen: list[str] = []
    for at, repository in repositories(design):
        path = repository.path
        here = (*at, "path")
        if path != "/" and (not is_plain_path(path.removesuffix("/")) or len(path) > _LONGEST_PATH):
            plain = "/".join(re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-") for name in path.split("/"))
            yield Finding(
                at=here,
                message=f"{shown(path)} is not a plain absolute path of at most {_LONGEST_PATH} characters",
                hint=f"write /{re.sub('/+', '/', plain).strip('/')[:40].strip('/') or 'datasets'}",
            )
            continue
        clash = next((other for other in seen if paths_nest(path, other)), None) if seen else None
        if clash is not None:
            yield Finding(
                at=here,
                message=f"{path} and {clash} overlap",
                hint="give each data repository a directory of its own, beside the others",
            )
        seen.append(path)


@rule(
    "DRA003", ERROR, "prefixes of data repositories in one bucket do not nest",
    why="The service refuses nested prefixes, and two links that export to one prefix overwrite each other.",
    source=_LINKS, reads="storage", where="lustre",
)  # fmt: skip
def repository_prefixes_do_not_nest(design: Design) -> Iterator[Finding]:
    """Bucket and prefix of associations with existing buckets."""
    seen: list[tuple[str, str]] = []
    for at, repository in repositories(design):
        if repository.bucket == "new":
            continue
        clash = next(
            (f"{b}/{p}" for b, p in seen if b == repository.bucket and paths_nest(p, repository.prefix)), None
        )
        if clash is not None:
            yield Finding(
                at=(*at, "prefix"),
                message=f"{repository.bucket}/{repository.prefix} and {clash} overlap",
                hint="give each data repository a prefix of its own, beside the others",
            )
        seen.append((repository.bucket, repository.prefix))


@rule(
    "DRA004", ERROR, "a linked bucket is a general purpose bucket with a valid name",
    why="No source shows that FSx links directory buckets (S3 Express), and an invalid name fails the creation.",
    source=_BUCKETS, reads="storage", where="lustre",
)  # fmt: skip
def bucket_can_be_linked(design: Design) -> Iterator[Finding]:
    """The form of a bucket's name and prefix."""
    for at, repository in repositories(design):
        name = repository.bucket
        if is_directory_bucket(name):
            yield Finding(
                at=(*at, "bucket"),
                message=f"{name} is a directory bucket",
                hint="link a general purpose bucket",
            )
        elif name != "new" and not is_bucket_name(name):
            hint = (
                f"write {name.removeprefix('s3://').partition('/')[0]}, and the rest as `prefix`"
                if name.startswith("s3://")
                else "write `new`, or the bucket's name alone"
            )
            yield Finding(at=(*at, "bucket"), message=f"{name!r} is not the name of a bucket", hint=hint)
        prefix = repository.prefix
        if prefix and (not _PREFIX.fullmatch(prefix) or "//" in prefix):
            yield Finding(
                at=(*at, "prefix"),
                message=f"{repository.prefix!r} is not a prefix that files can have",
                hint="use letters, digits and . _ - between single slashes",
            )


@rule(
    "DRA005", WARNING, "a data repository imports or exports something",
    why="Events are off by default: the link then lists nothing new and saves nothing (STORAGE-08).",
    source=_API, reads="storage", where="lustre",
)  # fmt: skip
def repository_moves_data(design: Design) -> Iterator[Finding]:
    """At least one event, none twice."""
    for at, repository in repositories(design):
        if not repository.import_events and not repository.export_events:
            yield Finding(
                at=at,
                message=f"{repository.path} neither imports nor exports changes",
                hint="add `import: [new, changed, deleted]` or `export: [new, changed, deleted]`",
            )


@rule(
    "DRA006", ERROR, "an event of a data repository is listed once",
    why="The API refuses a repeated event.", source=_API, reads="storage", where="lustre",
)  # fmt: skip
def events_are_listed_once(design: Design) -> Iterator[Finding]:
    """No event twice."""
    for at, repository in repositories(design):
        for key, events in (("import", repository.import_events), ("export", repository.export_events)):
            if len(events) > 1 and len(set(events)) != len(events):
                yield Finding(
                    at=(*at, key),
                    message=f"{', '.join(events)}: an event is listed twice",
                    hint=f"write [{', '.join(sorted(set(events)))}]",
                )


@rule(
    "DRA007", NOTE, "an existing bucket lets the file system in",
    why="FSx checks its access when the link is made: same Region for imports, and the bucket's policy and key must allow the service-linked role (STORAGE-07).",
    source=_LINKS, reads="storage", where="lustre",
)  # fmt: skip
def existing_bucket_grants_access(design: Design) -> Iterator[Finding]:
    """What an existing bucket must allow."""
    for at, repository in repositories(design):
        if repository.bucket != "new" and is_bucket_name(repository.bucket):
            yield Finding(
                at=(*at, "bucket"),
                message=f"the access of FSx to {repository.bucket} cannot be checked offline",
                hint="the bucket must be in the profile's Region and have no event notifications; a bucket with a KMS key needs a key policy for the FSx service-linked role",
            )


@rule(
    "DRA008", NOTE, "a disposable profile's buckets are emptied before it is destroyed",
    why="S3 refuses to delete a bucket that holds objects, and the stack stays in DELETE_FAILED; nothing empties it "
    "for you, since a linked bucket holds what the file system exported.",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/delete-bucket.html", reads="storage disposable", where="lustre",
)  # fmt: skip
def disposable_buckets_are_emptied(design: Design) -> Iterator[Finding]:
    """New buckets of a disposable profile."""
    if not design.profile.disposable:
        return
    new = [repository.path for _, repository in repositories(design) if repository.bucket == "new"]
    if new:
        yield Finding(
            at=("disposable",),
            message=f"the buckets of {', '.join(new)} go with the stack, if they are empty by then",
            hint="empty them, versions too, before `cdk destroy`",
        )


RULES = (
    associations_are_few,
    repository_paths_do_not_nest,
    repository_prefixes_do_not_nest,
    bucket_can_be_linked,
    repository_moves_data,
    events_are_listed_once,
    existing_bucket_grants_access,
    disposable_buckets_are_emptied,
)
