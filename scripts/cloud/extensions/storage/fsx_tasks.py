"""Data repository tasks. Exports end after some time; other tasks end when a client or a test ends them.

Deployments do not wait for an import. While a task runs, FSx does not delete the file system and does not
start another task; an import that ended automatically would hide this. An export ends on the simulated clock.
"""

from __future__ import annotations

import json
from datetime import timedelta
from uuid import uuid4

from moto.core.exceptions import JsonRESTError
from moto.core.utils import unix_time
from moto.fsx.models import FSxBackend
from moto.fsx.responses import FSxResponse

from scripts.cloud.extensions.patch import adds
from scripts.cloud.extensions.records import Record, table
from scripts.cloud.extensions.simulation import Files, simulation

from .fsx_associations import links_of, within
from .fsx_systems import invalid, system_of

_RUNNING = ("PENDING", "EXECUTING")
_IMPORT, _EXPORT = "IMPORT_METADATA_FROM_REPOSITORY", "EXPORT_TO_REPOSITORY"
_SHORTEST_S = 60.0


def tasks_of(backend: FSxBackend, file_system_id: str) -> list[Record]:
    """Return all tasks of a file system, including ended ones."""
    _end_exports(backend)
    return [task for task in _tasks(backend).values() if task["FileSystemId"] == file_system_id]


def check_no_task_runs(backend: FSxBackend, file_system_id: str) -> None:
    """Check that no task is pending or executing before a file system is deleted.

    https://docs.aws.amazon.com/fsx/latest/APIReference/API_DeleteFileSystem.html
    """
    for task in tasks_of(backend, file_system_id):
        if task["Lifecycle"] in _RUNNING:
            raise invalid(
                f"{file_system_id} has a data repository task that is {task['Lifecycle']}: {task['TaskId']}"
            )


def end(task: Record, lifecycle: str, reason: str | None = None) -> None:
    """End a task."""
    task |= {"Lifecycle": lifecycle, "EndTime": unix_time()}
    if reason:
        task["FailureDetails"] = {"Message": reason}


def _end_exports(backend: FSxBackend) -> None:
    """End the exports that are due; all changed files are then in S3, except files whose export fails."""
    now = simulation().now()
    for task_id, ends in list(table(backend, "data_repository_exports").items()):
        task = _tasks(backend)[task_id]
        if task["Lifecycle"] not in _RUNNING or ends["at"] > now:
            continue
        files = simulation().files.setdefault(task["FileSystemId"], Files(seen_at=now))
        failed = min(files.failing, files.unlinked)
        done = files.unlinked - failed
        files.exported += done
        files.unlinked = failed
        task["Status"] = {"TotalCount": done + failed, "SucceededCount": done, "FailedCount": failed}
        end(task, "FAILED" if failed else "SUCCEEDED", f"{failed} files failed" if failed else None)


def _begin_export(backend: FSxBackend, task: Record) -> None:
    now = simulation().now()
    files = simulation().files.setdefault(task["FileSystemId"], Files(seen_at=now))
    takes = timedelta(seconds=max(_SHORTEST_S, files.unlinked / files.per_s))
    table(backend, "data_repository_exports")[task["TaskId"]] = {"at": now + takes}
    task["Status"] = {"TotalCount": files.unlinked, "SucceededCount": 0, "FailedCount": 0}


def _tasks(backend: FSxBackend) -> dict[str, Record]:
    return table(backend, "data_repository_tasks")


def _task(backend: FSxBackend, task_id: str) -> Record:
    if task_id not in _tasks(backend):
        raise JsonRESTError("DataRepositoryTaskNotFound", f"{task_id} does not exist")
    return _tasks(backend)[task_id]


@adds(FSxResponse, "create_data_repository_task")
def _create(self: FSxResponse) -> str:
    params, backend = json.loads(self.body), self.fsx_backend
    system = system_of(backend, params["FileSystemId"])
    tokens = table(backend, "data_repository_task_tokens")
    token = params.pop("ClientRequestToken", uuid4().hex)
    if token in tokens:
        if tokens[token]["request"] != params:
            message = f"a task with the token {token} was requested with other parameters"
            raise JsonRESTError("IncompatibleParameterError", message)
        return json.dumps({"DataRepositoryTask": _task(backend, tokens[token]["task"])})
    _check(backend, system.file_system_id, params)
    task_id = f"task-{uuid4().hex[:17]}"
    _tasks(backend)[task_id] = {
        **params,
        "TaskId": task_id,
        "Lifecycle": "PENDING",
        "CreationTime": unix_time(),
        "ResourceARN": f"arn:aws:fsx:{backend.region_name}:{backend.account_id}:task/{task_id}",
    }
    tokens[token] = {"request": params, "task": task_id}
    if params["Type"] == _EXPORT:
        _begin_export(backend, _tasks(backend)[task_id])
    return json.dumps({"DataRepositoryTask": _task(backend, task_id)})


def _check(backend: FSxBackend, file_system_id: str, params: Record) -> None:
    if not links_of(backend, file_system_id):
        raise invalid(f"{file_system_id} does not have a data repository association")
    report = params["Report"]
    # https://docs.aws.amazon.com/fsx/latest/LustreGuide/export-changed-data-meta-dra.html
    if params["Type"] == _EXPORT and file_system_id in simulation().exporting:
        raise invalid("automatic export and export data repository tasks cannot run at the same time")
    if report["Enabled"] and not {"Path", "Format", "Scope"} <= report.keys():
        raise invalid("an enabled Report requires a Path, a Format and a Scope")
    for task in tasks_of(backend, file_system_id):
        if task["Lifecycle"] in (*_RUNNING, "CANCELING"):
            message = f"{task['TaskId']} is executing on the file system: wait until it has completed"
            raise JsonRESTError("DataRepositoryTaskExecuting", message)


@adds(FSxResponse, "describe_data_repository_tasks")
def _describe(self: FSxResponse) -> str:
    params, backend = json.loads(self.body), self.fsx_backend
    _end_exports(backend)
    chosen = [_task(backend, i) for i in params.get("TaskIds") or _tasks(backend)]
    names = {"file-system-id": "FileSystemId", "task-lifecycle": "Lifecycle"}
    for condition in params.get("Filters") or []:
        if condition["Name"] not in names:
            raise invalid(f"the embedded cloud does not support the filter {condition['Name']}")
        chosen = [task for task in chosen if task[names[condition["Name"]]] in condition["Values"]]
    answer = json.dumps({"DataRepositoryTasks": chosen})
    for task in chosen:
        _go_on(backend, task)
    return answer


def _go_on(backend: FSxBackend, task: Record) -> None:
    """Advance a task by one step; called at each request for the task."""
    linked = [link["DataRepositoryPath"] for link in links_of(backend, task["FileSystemId"])]
    lost = [path for path in task.get("Paths", []) if not any(within(path, link) for link in linked)]
    if task["Lifecycle"] == "PENDING" and task["Type"] == _IMPORT and lost:
        end(task, "FAILED", f"{lost[0]} is not in an associated data repository")
    elif task["Lifecycle"] == "PENDING":
        task |= {"Lifecycle": "EXECUTING", "StartTime": unix_time()}
    elif task["Lifecycle"] == "CANCELING":
        end(task, "CANCELED")


@adds(FSxResponse, "cancel_data_repository_task")
def _cancel(self: FSxResponse) -> str:
    task = _task(self.fsx_backend, json.loads(self.body)["TaskId"])
    if task["Lifecycle"] not in (*_RUNNING, "CANCELING"):
        raise JsonRESTError("DataRepositoryTaskEnded", f"{task['TaskId']} is {task['Lifecycle']}")
    task["Lifecycle"] = "CANCELING"
    return json.dumps({"Lifecycle": "CANCELING", "TaskId": task["TaskId"]})
