"""Wait for exports to S3 before DRAs and file systems are deleted; raise if data would be lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from scripts.cli.rehearsal.errors import RehearsalError

from .deadline import in_words
from .file_systems import FileSystem, Linked, each, links_from
from .reporter import Reporter
from .where import Where

_POLL_S = 60.0
_LOOK_BACK = timedelta(minutes=15)
_SILENT = timedelta(minutes=10)
"""FSx publishes a data point each minute. Without a data point for this time, a queue counts as empty."""

_REPORTS = ".ultracluster/exports"
_UNDER_WAY = ("PENDING", "EXECUTING", "CANCELING")


@dataclass(frozen=True, kw_only=True)
class ExportOptions:
    """Options for exports; data of the file systems in `allowed` (names or ids) may be lost.

    With `by_task`, a task exports the DRAs that do not export automatically.
    """

    allowed: tuple[str, ...] = ()
    by_task: bool = False

    def allows(self, system: FileSystem) -> bool:
        """Return whether the user allows the loss of a file system's data."""
        return bool({system.name, system.id} & set(self.allowed))


def check_names(systems: Sequence[FileSystem], options: ExportOptions) -> None:
    """Raise for a name that is not a file system of the stack."""
    known = {name for system in systems for name in (system.name, system.id)}
    unknown = sorted(set(options.allowed) - known)
    if unknown:
        there = ", ".join(system.name for system in systems) or "no file systems"
        raise RehearsalError(f"the stack has no file system {unknown[0]}; it has {there}", 2)


def losses(systems: Sequence[FileSystem], options: ExportOptions) -> list[str]:
    """Return messages about data that would be lost, except data whose loss the user allows."""
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
    reporter: Reporter,
) -> None:
    """Wait until the export queues are empty and tasks are complete."""
    refuse_losses(systems, options)
    for system in systems:
        if options.allows(system):
            _report(
                reporter, system, "no wait for exports, because --allow-data-loss contains this file system"
            )
            continue
        if system.exports:
            _wait_for_queue(where, system, deadline, reporter)
        _wait_for_tasks(where, system, deadline, reporter)
        if options.by_task and system.to_export and system.goes:
            _export_by_task(where, system, deadline, reporter)
        if system.backup:
            at = system.backup.strftime("%Y-%m-%dT%H:%MZ")
            _report(reporter, system, f"backup from {at}; newer data is lost", "backup", at=at)


def _report(reporter: Reporter, system: FileSystem, text: str, event: str = "export", **facts: Any) -> None:
    reporter.report(event, f"  {system.title}: {text}", system=system.id, **facts)


def refuse_losses(systems: Sequence[FileSystem], options: ExportOptions) -> None:
    """Raise if data would be lost."""
    found = losses(systems, options)
    if not found:
        return
    hints = [
        "no resource is deleted; copy the data that you need, and then allow the loss of the other data of "
        "each file system:",
        *(f"  --allow-data-loss {system.name}" for system in systems if losses([system], options)),
    ]
    if not options.by_task and any(system.goes and system.to_export for system in systems):
        hints.append("or export the linked paths to S3 first, with --export")
    if any(system.goes and not system.links for system in systems):
        hints.append(
            "or create a backup, which counts for 24 hours, if the file system supports backups; automatic "
            "backups are deleted with the file system"
        )
    raise RehearsalError("\n".join([*found, *hints]))


def _wait_for_queue(where: Where, system: FileSystem, deadline: datetime | None, reporter: Reporter) -> None:
    """Wait until the age of the oldest queued file is 0.

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
            _report(reporter, system, "the queue to S3 is empty", oldest_s=0)
            return
        waited = waited or age_s > 0
        if at is None and waited:
            raise RehearsalError(_silent(system))
        if at is None and now >= since + _SILENT:
            _report(reporter, system, "FSx reports no files in the export queue", oldest_s=None)
            return
        waits = f"the oldest file has waited for {in_words(age_s)}" if age_s else "checking the export queue"
        _report(reporter, system, waits, oldest_s=age_s)
        _refuse_late(system, now, deadline, "files are still in the export queue")
        where.target.sleep(_POLL_S)


def _silent(system: FileSystem) -> str:
    minutes = round(_LOOK_BACK.total_seconds() / 60)
    return (
        f"{system.title}: files waited for export, but FSx has not published the age of the queue for "
        f"{minutes} minutes, so no resource is deleted; continue with one of\n  the same command, when FSx "
        "publishes the metric AgeOfOldestQueuedMessage of the file system again\n  --allow-data-loss "
        f"{system.name}, to lose these files"
    )


def _oldest(where: Where, system: FileSystem, now: datetime) -> tuple[datetime | None, float]:
    """Return the newest data point: its time, and the age of the oldest queued file in seconds."""
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
        f"repair the association, or continue without this export: --allow-data-loss {system.name}"
    )


def _wait_for_tasks(where: Where, system: FileSystem, deadline: datetime | None, reporter: Reporter) -> None:
    """Wait until all running export tasks have ended."""
    while True:
        running = [
            task
            for task in _tasks(where, system)
            if task["Lifecycle"] in _UNDER_WAY and task["Type"] == "EXPORT_TO_REPOSITORY"
        ]
        if not running:
            return
        _report_task(system, running[0], reporter)
        _refuse_late(system, where.now(), deadline, f"{running[0]['TaskId']} is still exporting")
        where.target.sleep(_POLL_S)


def _export_by_task(where: Where, system: FileSystem, deadline: datetime | None, reporter: Reporter) -> None:
    """Export all linked paths with a task, and wait until the task is complete.

    Each run starts a new task, which exports only files that have changed since the last export.
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
            _report(reporter, system, f"exported by {task['TaskId']}", task=task["TaskId"])
            return
        if now["Lifecycle"] in ("SUCCEEDED", "FAILED", "CANCELED"):
            why = (now.get("FailureDetails") or {}).get("Message", "FSx returns no reason")
            raise RehearsalError(
                f"{system.title}: {task['TaskId']} is {now['Lifecycle']} ({why}), {failed} files failed\n"
                f"{report} lists the failed files with the reasons\n"
                f"to continue without these files: --allow-data-loss {system.name}"
            )
        _report_task(system, now, reporter)
        _refuse_late(system, where.now(), deadline, f"{task['TaskId']} is still exporting")
        where.target.sleep(_POLL_S)


def _tasks(where: Where, system: FileSystem) -> list[dict[str, Any]]:
    asked = [{"Name": "file-system-id", "Values": [system.id]}]
    ask = where.client("fsx").describe_data_repository_tasks
    return list(each(ask, "DataRepositoryTasks", Filters=asked))


def _report_task(system: FileSystem, task: dict[str, Any], reporter: Reporter) -> None:
    status = task.get("Status") or {}
    done, total = status.get("SucceededCount", 0), status.get("TotalCount", 0)
    progress = f"{task['TaskId']} is {task['Lifecycle']}, {done} of {total} files"
    _report(reporter, system, progress, task=task["TaskId"], done=done, total=total)


def _refuse_late(system: FileSystem, now: datetime, deadline: datetime | None, what: str) -> None:
    if deadline is not None and now >= deadline:
        raise RehearsalError(
            f"{system.title}: the deadline has passed and {what}, so no resource is deleted; continue with "
            f"one of\n  a later --export-deadline, to wait\n  --allow-data-loss {system.name}, to lose "
            "these files"
        )
