"""Let all that goes to S3 be there before links and file systems go; refuse where data would be lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from scripts.cli.rehearsal.errors import RehearsalError

from .deadline import in_words
from .file_systems import FileSystem, Linked, each, links_from
from .told import Teller
from .where import Where

_POLL_S = 60.0
_LOOK_BACK = timedelta(minutes=15)
_SILENT = timedelta(minutes=10)
"""How long no figure has to come before a queue counts as empty: FSx tells one a minute."""

_REPORTS = ".ultracluster/exports"
_UNDER_WAY = ("PENDING", "EXECUTING", "CANCELING")


@dataclass(frozen=True, kw_only=True)
class ExportOptions:
    """What may happen to data: `allowed` are the names or ids of file systems whose data may be lost.

    With `by_task` links that do not export by themselves are exported by a task.
    """

    allowed: tuple[str, ...] = ()
    by_task: bool = False

    def allows(self, system: FileSystem) -> bool:
        """Whether the data of a file system may be lost."""
        return bool({system.name, system.id} & set(self.allowed))


def check_names(systems: Sequence[FileSystem], options: ExportOptions) -> None:
    """Refuse a name that no file system has: the one that was meant would go on to be refused."""
    known = {name for system in systems for name in (system.name, system.id)}
    unknown = sorted(set(options.allowed) - known)
    if unknown:
        there = ", ".join(system.name for system in systems) or "none"
        raise RehearsalError(f"the stack has no file system {unknown[0]}: {there}", 2)


def losses(systems: Sequence[FileSystem], options: ExportOptions) -> list[str]:
    """What would be lost and was not allowed to, before anything is waited for."""
    asked = [system for system in systems if not options.allows(system)]
    lost = [system.lost(exported=options.by_task and bool(system.to_export)) for system in asked]
    broken = [
        _broken(system, link) for system in asked for link in system.links if link.exports and link.fault
    ]
    return [*filter(None, lost), *broken]


def export(
    where: Where,
    systems: Sequence[FileSystem],
    options: ExportOptions,
    deadline: datetime | None,
    tell: Teller,
) -> None:
    """Wait until the queues to S3 are empty and tasks are through."""
    refuse_losses(systems, options)
    for system in systems:
        if options.allows(system):
            _tell(tell, system, "not waited for, its data may be lost")
            continue
        if system.exports:
            _wait_for_queue(where, system, deadline, tell)
        _wait_for_tasks(where, system, deadline, tell)
        if options.by_task and system.to_export and system.goes:
            _export_by_task(where, system, deadline, tell)
        if system.backup:
            at = system.backup.strftime("%Y-%m-%dT%H:%MZ")
            _tell(tell, system, f"backed up at {at}, what is newer is lost", "backup", at=at)


def _tell(tell: Teller, system: FileSystem, text: str, event: str = "export", **facts: Any) -> None:
    tell.tell(event, f"  {system.title}: {text}", system=system.id, **facts)


def refuse_losses(systems: Sequence[FileSystem], options: ExportOptions) -> None:
    """Refuse while data would be lost."""
    found = losses(systems, options)
    if not found:
        return
    hints = [
        "nothing is deleted; copy what is needed, and then say so for each that may go:",
        *(f"  --allow-data-loss {system.name}" for system in systems if losses([system], options)),
    ]
    if not options.by_task and any(system.goes and system.to_export for system in systems):
        hints.append("or export what is linked to S3 first, with --export")
    if any(system.goes and not system.links for system in systems):
        hints.append(
            "or make a backup, which counts for 24 hours, where the file system takes one; automatic ones "
            "are deleted with it"
        )
    raise RehearsalError("\n".join([*found, *hints]))


def _wait_for_queue(where: Where, system: FileSystem, deadline: datetime | None, tell: Teller) -> None:
    """The oldest file that waits has an age of 0 once none does.

    https://docs.aws.amazon.com/fsx/latest/LustreGuide/fs-metrics.html
    """
    fsx, since, waited = where.client("fsx"), where.now(), False
    while True:
        for link in links_from(fsx, system.id):
            if link.exports and link.fault:
                raise RehearsalError(_broken(system, link))
        now = where.now()
        at, age_s = _oldest(where, system, now)
        if at is not None and at >= since and age_s == 0:
            _tell(tell, system, "the queue to S3 is empty", oldest_s=0)
            return
        waited = waited or age_s > 0
        if at is None and waited:
            raise RehearsalError(_silent(system))
        if at is None and now >= since + _SILENT:
            _tell(tell, system, "FSx tells of no file that waits for S3", oldest_s=None)
            return
        waits = (
            f"the oldest file waits for {in_words(age_s)}" if age_s else "looking whether files wait for S3"
        )
        _tell(tell, system, waits, oldest_s=age_s)
        _refuse_late(system, now, deadline, "files still wait for S3")
        where.target.sleep(_POLL_S)


def _silent(system: FileSystem) -> str:
    minutes = round(_LOOK_BACK.total_seconds() / 60)
    return (
        f"{system.title}: files waited for S3, and FSx has told nothing of them for {minutes} minutes; "
        "nothing is deleted; go on with one of\n"
        "  the same command, once AgeOfOldestQueuedMessage of the file system is there again\n"
        f"  --allow-data-loss {system.name}, to leave them behind"
    )


def _oldest(where: Where, system: FileSystem, now: datetime) -> tuple[datetime | None, float]:
    """When the newest figure is of, and the age that it tells, in seconds."""
    points = where.client("cloudwatch").get_metric_statistics(
        Namespace="AWS/FSx",
        MetricName="AgeOfOldestQueuedMessage",
        Dimensions=[
            {"Name": "FileSystemId", "Value": system.id},
            {"Name": "Publisher", "Value": "AutoExport"},
        ],
        StartTime=now - _LOOK_BACK,
        EndTime=now + timedelta(minutes=1),
        Period=60,
        Statistics=["Maximum"],
    )["Datapoints"]
    newest: dict[str, Any] | None = max(points, key=lambda point: point["Timestamp"], default=None)
    return (newest["Timestamp"], float(newest["Maximum"])) if newest else (None, 0.0)


def _broken(system: FileSystem, link: Linked) -> str:
    return (
        f"{system.title}: the export of {link.path} to {link.repository} does not work ({link.fault}); "
        f"put it right, or go on without it: --allow-data-loss {system.name}"
    )


def _wait_for_tasks(where: Where, system: FileSystem, deadline: datetime | None, tell: Teller) -> None:
    """Exports that somebody has started: they are data on its way."""
    while True:
        running = [
            task
            for task in _tasks(where, system)
            if task["Lifecycle"] in _UNDER_WAY and task["Type"] == "EXPORT_TO_REPOSITORY"
        ]
        if not running:
            return
        _tell_task(system, running[0], tell)
        _refuse_late(system, where.now(), deadline, f"{running[0]['TaskId']} still exports")
        where.target.sleep(_POLL_S)


def _export_by_task(where: Where, system: FileSystem, deadline: datetime | None, tell: Teller) -> None:
    """Export everything that is linked, and wait until that is through.

    Done again by each run: FSx exports what has changed since the last time, so that it is soon over.
    """
    paths = [link.path.strip("/") for link in system.to_export]
    report = f"{system.to_export[0].repository.rstrip('/')}/{_REPORTS}"
    task = where.client("fsx").create_data_repository_task(
        Type="EXPORT_TO_REPOSITORY",
        FileSystemId=system.id,
        **({"Paths": paths} if all(paths) else {}),
        Report={
            "Enabled": True,
            "Path": report,
            "Format": "REPORT_CSV_20191124",
            "Scope": "FAILED_FILES_ONLY",
        },
    )["DataRepositoryTask"]
    while True:
        (now,) = where.client("fsx").describe_data_repository_tasks(TaskIds=[task["TaskId"]])[
            "DataRepositoryTasks"
        ]
        failed = (now.get("Status") or {}).get("FailedCount", 0)
        if now["Lifecycle"] == "SUCCEEDED" and not failed:
            _tell(tell, system, f"exported by {task['TaskId']}", task=task["TaskId"])
            return
        if now["Lifecycle"] in ("SUCCEEDED", "FAILED", "CANCELED"):
            why = (now.get("FailureDetails") or {}).get("Message", "FSx does not say why")
            raise RehearsalError(
                f"{system.title}: {task['TaskId']} is {now['Lifecycle']} ({why}), {failed} files failed\n"
                f"which and why is told in {report}\n"
                f"or go on without them: --allow-data-loss {system.name}"
            )
        _tell_task(system, now, tell)
        _refuse_late(system, where.now(), deadline, f"{task['TaskId']} still exports")
        where.target.sleep(_POLL_S)


def _tasks(where: Where, system: FileSystem) -> list[dict[str, Any]]:
    asked = [{"Name": "file-system-id", "Values": [system.id]}]
    ask = where.client("fsx").describe_data_repository_tasks
    return list(each(ask, "DataRepositoryTasks", Filters=asked))


def _tell_task(system: FileSystem, task: dict[str, Any], tell: Teller) -> None:
    status = task.get("Status") or {}
    done, total = status.get("SucceededCount", 0), status.get("TotalCount", 0)
    told = f"{task['TaskId']} is {task['Lifecycle']}, {done} of {total} files"
    _tell(tell, system, told, task=task["TaskId"], done=done, total=total)


def _refuse_late(system: FileSystem, now: datetime, deadline: datetime | None, what: str) -> None:
    if deadline is not None and now >= deadline:
        raise RehearsalError(
            f"{system.title}: the deadline has passed and {what}; nothing is deleted; go on with one of\n"
            "  a later --export-deadline, to wait\n"
            f"  --allow-data-loss {system.name}, to leave them behind"
        )
