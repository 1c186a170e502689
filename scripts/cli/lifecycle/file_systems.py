"""File systems of a teardown: whether they are deleted, what is exported to S3, and what would be lost."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from config.design.storage.lustre import MAIN
from scripts.cli.rehearsal.errors import RehearsalError
from scripts.cli.rehearsal.paths import template_text
from scripts.cli.rehearsal.remaining import tags_of
from scripts.cli.rehearsal.target import every

from .where import Where

_SYSTEM, _LINK = "AWS::FSx::FileSystem", "AWS::FSx::DataRepositoryAssociation"
_KEEPS = ("Retain", "RetainExceptOnCreate")
_BACKUP_AGE = timedelta(hours=24)
_BROKEN = ("MISCONFIGURED", "FAILED", "DELETING")
_WHOLE = {"NEW", "CHANGED"}
"""Events that are needed for a complete export."""


@dataclass(frozen=True, kw_only=True)
class Linked:
    """A data repository association. `fault` is the reason why it does not work, empty if it works.

    `exports`: files are exported automatically. `whole`: both new and changed files are exported.
    """

    path: str
    repository: str
    exports: bool
    whole: bool
    fault: str


@dataclass(frozen=True, kw_only=True)
class FileSystem:
    """A file system of a teardown.

    `goes` is whether the file system is deleted with the stack. `backup` is the time of the newest backup
    from the last 24 hours; None if there is no such backup.
    """

    id: str
    name: str
    kind: str
    goes: bool
    links: tuple[Linked, ...]
    backup: datetime | None

    @property
    def exports(self) -> bool:
        """Return whether changed files are exported automatically."""
        return any(link.exports for link in self.links)

    @property
    def faults(self) -> tuple[str, ...]:
        """Return the reasons why exports do not work."""
        return tuple(f"{link.path}: {link.fault}" for link in self.links if link.exports and link.fault)

    @property
    def title(self) -> str:
        """Return the name and id for display."""
        return f"{self.name} ({self.id})"

    @property
    def to_export(self) -> tuple[Linked, ...]:
        """Return the DRAs that a task can export.

        Empty if a DRA exports automatically, because FSx then rejects export tasks.
        """
        return () if self.exports else self.links

    def lost(self, *, exported: bool) -> str:
        """Return a message about data that would be lost, or an empty text.

        `exported` is whether a task exports all DRAs before the deletion.
        """
        if not self.goes or self.backup is not None:
            return ""
        safe = [link.path for link in self.links if link.whole or exported]
        if "/" in safe:
            return ""
        parts = [link.path for link in self.links if link.exports and not link.whole]
        if parts:
            start = f"{self.title} is deleted with the stack, and only some new or changed files in"
            return f"{start} {', '.join(parts)} are exported to S3"
        if not safe:
            return f"{self.title} is deleted with the stack, and its files are not exported to S3"
        return f"{self.title} is deleted with the stack, and only {', '.join(safe)} is exported to S3"


def file_systems(where: Where) -> list[FileSystem]:
    """Return the file systems that the stack creates, and those that the stack's DRAs belong to."""
    resources = where.resources()
    physical = {
        one["LogicalResourceId"]: one.get("PhysicalResourceId", "") for one in _there(resources, _SYSTEM)
    }
    links = [one.get("PhysicalResourceId", "") for one in _there(resources, _LINK)]
    fsx = where.client("fsx")
    through = {one["FileSystemId"] for one in _associations(fsx) if one["AssociationId"] in links}
    ids = sorted({*filter(None, physical.values()), *through})
    if not ids:
        return []
    template: Mapping[str, Any] = json.loads(template_text(where.client("cloudformation"), where.stack))
    goes = {
        identity
        for name, identity in physical.items()
        if template["Resources"].get(name, {}).get("DeletionPolicy") not in _KEEPS
    }
    found = _described(fsx, ids)
    return [
        _file_system(where, fsx, one, goes) for one in sorted(found, key=lambda one: str(one["FileSystemId"]))
    ]


def _there(resources: list[dict[str, Any]], kind: str) -> Iterator[dict[str, Any]]:
    return (
        one for one in resources if one["ResourceType"] == kind and one["ResourceStatus"] != "DELETE_COMPLETE"
    )


def _described(fsx: Any, ids: list[str]) -> list[dict[str, Any]]:
    """Return the descriptions of the file systems with these ids, without ids that do not exist."""
    wanted = set(ids)
    found = every(fsx, "describe_file_systems", "FileSystems")
    return [one for one in found if one["FileSystemId"] in wanted]


def _associations(fsx: Any, **asked: Any) -> list[dict[str, Any]]:
    return list(each(fsx.describe_data_repository_associations, "Associations", **asked))


def each(ask: Callable[..., Any], key: str, **asked: Any) -> Iterator[dict[str, Any]]:
    """Yield the items of all pages of an operation that has no boto3 paginator."""
    token: dict[str, str] = {}
    while True:
        page = ask(**asked, **token)
        yield from page[key]
        if not page.get("NextToken"):
            return
        if token.get("NextToken") == page["NextToken"]:
            raise RehearsalError(f"the pages of {key} do not end: AWS returned the same page again")
        token = {"NextToken": page["NextToken"]}


def _file_system(where: Where, fsx: Any, one: Mapping[str, Any], goes: set[str]) -> FileSystem:
    identity = str(one["FileSystemId"])
    name = tags_of(one).get("Name", "").removeprefix(where.stack).removeprefix("-") or MAIN
    return FileSystem(
        id=identity,
        name="home" if one["FileSystemType"] == "OPENZFS" else name,
        kind=one["FileSystemType"],
        goes=identity in goes,
        links=links_from(fsx, identity) if one["FileSystemType"] == "LUSTRE" else (),
        backup=_backup(where, fsx, identity) if identity in goes else None,
    )


def links_from(fsx: Any, identity: str) -> tuple[Linked, ...]:
    """Return the current DRAs of a file system."""
    found = _associations(fsx, Filters=[{"Name": "file-system-id", "Values": [identity]}])
    return tuple(
        Linked(
            path=link["FileSystemPath"],
            repository=link["DataRepositoryPath"],
            exports=bool(_exported(link)),
            whole=_exported(link) >= _WHOLE,
            fault=_fault(link),
        )
        for link in sorted(found, key=lambda link: str(link["FileSystemPath"]))
    )


def _exported(link: Mapping[str, Any]) -> set[str]:
    return set(((link.get("S3") or {}).get("AutoExportPolicy") or {}).get("Events") or ())


def _fault(link: Mapping[str, Any]) -> str:
    if link["Lifecycle"] not in _BROKEN:
        return ""
    reason = (link.get("FailureDetails") or {}).get("Message", "FSx returns no reason")
    return f"{link['Lifecycle']}, {reason}"


def _backup(where: Where, fsx: Any, identity: str) -> datetime | None:
    """Return the time of the newest backup that outlives its file system and is at most 24 hours old.

    Automatic backups are deleted together with the file system:
    https://docs.aws.amazon.com/fsx/latest/APIReference/API_DeleteFileSystem.html
    """
    asked = {"Filters": [{"Name": "file-system-id", "Values": [identity]}]}
    made = [
        one["CreationTime"].astimezone(UTC)
        for one in every(fsx, "describe_backups", "Backups", **asked)
        if one["Lifecycle"] == "AVAILABLE"
        and one["Type"] != "AUTOMATIC"
        and one["FileSystem"]["FileSystemId"] == identity
    ]
    return max((at for at in made if at >= where.now() - _BACKUP_AGE), default=None)
