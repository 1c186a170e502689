"""Data repository associations of a design."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from config.design.names import fingerprint
from config.profile.storage.repository import DataRepository, RepositoryEvent

_LONGEST_NAME = 24
"""Maximum length, so that IDs are readable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryPlan:
    """A data repository association. `bucket` is None for a bucket that the stack creates."""

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
    """Return the association of one data repository."""
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
    """Return the unique name that IDs of a repository contain; it is derived from the repository's path.

    The name of `/datasets` is `datasets`. If the path has characters that a name cannot have, the name ends
    with a fingerprint, because `/a-b` and `/a_b` would have the same name.
    """
    plain = path.strip("/")
    name = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-") or "root"
    return name if plain in (name, "") else f"{name[:_LONGEST_NAME]}-{fingerprint(plain, 8)}"


@lru_cache(maxsize=1024)
def paths_nest(one: str, other: str) -> bool:
    """Return whether two paths are equal or one contains the other; outer slashes are ignored."""
    a, b = ("/" + path.strip("/") + "/" if path.strip("/") else "/" for path in (one, other))
    return a.startswith(b) or b.startswith(a)
