"""The links between a file system and S3 that follow from a profile."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from config.design.names import fingerprint
from config.profile.storage.repository import DataRepository, RepositoryEvent

_LONGEST_NAME = 24
"""Ids stay readable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryPlan:
    """One data repository association. `bucket` is None for a bucket of the cluster's own."""

    name: str
    path: str
    bucket: str | None
    prefix: str
    import_events: tuple[RepositoryEvent, ...]
    export_events: tuple[RepositoryEvent, ...]
    import_metadata_on_create: bool
    import_by_task: bool
    imported_chunk_mib: int


def plan_repository(repository: DataRepository) -> RepositoryPlan:
    """The association of one data repository."""
    return RepositoryPlan(
        name=repository_name(repository.path),
        path=repository.path.rstrip("/") or "/",
        bucket=None if repository.bucket == "new" else repository.bucket,
        prefix=repository.prefix.strip("/"),
        import_events=tuple(sorted(repository.import_events)),
        export_events=tuple(sorted(repository.export_events)),
        import_metadata_on_create=repository.import_metadata_on_create,
        import_by_task=repository.import_by_task,
        imported_chunk_mib=repository.imported_chunk_mib,
    )


def repository_name(path: str) -> str:
    """The name of a repository in ids: its path in words; no two paths share one.

    `/datasets` is `datasets`; a path that is more than one plain word carries a fingerprint, since `/a-b`
    and `/a_b` read alike.
    """
    plain = path.strip("/")
    words = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-") or "root"
    return words if plain in (words, "") else f"{words[:_LONGEST_NAME]}-{fingerprint(plain, 8)}"


@lru_cache(maxsize=1024)
def paths_nest(one: str, other: str) -> bool:
    """Whether two paths are the same, or one lies in the other; slashes at the ends do not count."""
    a, b = ("/" + path.strip("/") + "/" if path.strip("/") else "/" for path in (one, other))
    return a.startswith(b) or b.startswith(a)
