"""Set root squash on Lustre file systems, and start and cancel imports from S3.

This file is the source of a Lambda function. It does not import from the library, and the library does not
import it. CloudFormation invokes it to create, change and delete custom resources. The function always
answers, because the stack waits for the answer, and stops early enough to do so.
"""

import json
import shlex
import time
import traceback
import urllib.request
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import boto3
from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from mypy_boto3_fsx import FSxClient

POLL_S = 10
ANSWER_S = 20  # reserved for the answer
ROLE_SPREADS_S = 120  # a new role is not available everywhere at once
LONGEST_REASON = 1000  # the maximum size of an answer is 4096 bytes
OFF = ("0:0", ())
ENDED = ("SUCCEEDED", "FAILED", "CANCELED")
# The first is an error of FSx (API_DescribeFileSystems.html), the others are common errors of AWS services,
# here from the guide of another service:
# https://docs.aws.amazon.com/documentdb/latest/developerguide/CommonErrors.html
PASSING = ("InternalServerError", "InternalFailure", "ServiceUnavailable", "ThrottlingException")
STARTED_BY = "ultracluster:started-by"  # tag of a task
LONGEST_TAG = 256
IMPORT = "IMPORT_METADATA_FROM_REPOSITORY"

Record = Mapping[str, Any]


class RefusedError(Exception):
    """A failure with a complete message."""


class NoTimeError(RefusedError):
    """A wait exceeded the time of the function."""


class GoneError(Exception):
    """The file system does not exist, or is being deleted."""


class FileSystem:
    """A file system, and the remaining time of the function."""

    def __init__(self, file_system_id: str, context: Any) -> None:
        """Create the FSx client in the function's Region."""
        self.id = file_system_id
        self.fsx: FSxClient = boto3.client("fsx")
        self._context = context
        self._began_ms = self._left_ms()

    def _left_ms(self) -> int:
        return int(self._context.get_remaining_time_in_millis())

    def passed_s(self) -> float:
        """Return the seconds since the request."""
        return (self._began_ms - self._left_ms()) / 1000

    def wait(self, reason: str) -> None:
        """Wait for the poll interval; raises NoTimeError with the reason if no time is left."""
        if self._left_ms() < (POLL_S + ANSWER_S) * 1000:
            raise NoTimeError(f"{self.id}: {reason} after {self.passed_s():.0f} s")
        time.sleep(POLL_S)

    def ask(self, call: Callable[..., Any], **request: Any) -> Any:
        """Call the service; retry errors of a new role and temporary errors.

        Raises GoneError if the file system does not exist.
        """
        while True:
            try:
                return call(**request)
            except ClientError as error:
                reason = code_of(error)
                if reason == "FileSystemNotFound":
                    raise GoneError(f"{self.id} does not exist") from error
                spreads = reason == "AccessDeniedException" and self.passed_s() <= ROLE_SPREADS_S
                if not spreads and reason not in PASSING:
                    raise
            self.wait(f"the service still returns {reason}")

    def describe(self) -> Record:
        """Return the current file system."""
        found = self.ask(self.fsx.describe_file_systems, FileSystemIds=[self.id])["FileSystems"]
        if not found or found[0]["Lifecycle"] == "DELETING":
            raise GoneError(f"{self.id} does not exist, or is being deleted")
        system: Record = found[0]
        return system

    def running_tasks(self, starter: str) -> list[Record]:
        """Return the running tasks that this resource started."""
        tasks: list[Record] = []
        request: dict[str, Any] = {"Filters": [{"Name": "file-system-id", "Values": [self.id]}]}
        while True:
            page = self.ask(self.fsx.describe_data_repository_tasks, **request)
            tasks += page["DataRepositoryTasks"]
            if not page.get("NextToken"):
                return [
                    t for t in tasks if t["Lifecycle"] not in ENDED and tag_of(starter) in t.get("Tags", [])
                ]
            request["NextToken"] = page["NextToken"]


def code_of(error: ClientError) -> str:
    """Return the service's error code."""
    return error.response["Error"]["Code"]


def starter_of(event: Record) -> str:
    """Return the name of a request's resource, which is the same in all its requests."""
    stack = event["StackId"].rpartition("/")[2]
    return f"{stack}/{event['LogicalResourceId']}"[:LONGEST_TAG]


def tag_of(starter: str) -> dict[str, str]:
    """Return the tag of the tasks that a resource started."""
    return {"Key": STARTED_BY, "Value": starter}


def updates_of(system: Record, *statuses: str) -> list[Record]:
    """Return the updates of a file system with one of these statuses."""
    actions: list[Record] = system.get("AdministrativeActions") or []
    updates = [action for action in actions if action["AdministrativeActionType"] == "FILE_SYSTEM_UPDATE"]
    return [action for action in updates if action["Status"] in statuses]


def is_busy(system: Record) -> bool:
    """Return whether an update of the file system is in progress: FSx runs one at a time."""
    return system["Lifecycle"] in ("CREATING", "UPDATING") or bool(
        updates_of(system, "PENDING", "IN_PROGRESS")
    )


def squash_of(system: Record) -> tuple[str, tuple[str, ...]]:
    """Return the user and group that root acts as, and the exempt clients."""
    configured = system.get("LustreConfiguration", {}).get("RootSquashConfiguration") or {}
    squash = configured.get("RootSquash", OFF[0])
    return OFF if squash == OFF[0] else (squash, tuple(sorted(configured.get("NoSquashNids") or [])))


def set_root_squash(file_system: FileSystem, wanted: tuple[str, tuple[str, ...]]) -> None:
    """Set root squash, and wait until it is active."""
    failed_before: list[Record] = []
    asked = False
    while True:
        system = file_system.describe()
        if is_busy(system):
            file_system.wait("an update is still in progress")
        elif squash_of(system) == wanted:
            return
        elif not asked:
            failed_before = updates_of(system, "FAILED")
            asked = _ask_for_root_squash(file_system, wanted)
        else:
            for action in updates_of(system, "FAILED"):
                if action not in failed_before:
                    details = action.get("FailureDetails", {}).get("Message", "no details")
                    raise RefusedError(f"{file_system.id}: root squash {wanted[0]} failed: {details}")
            file_system.wait(f"root squash is still {squash_of(system)[0]} and not {wanted[0]}")


def _ask_for_root_squash(file_system: FileSystem, wanted: tuple[str, tuple[str, ...]]) -> bool:
    """Request the update; return False if another update is in progress."""
    squash = {"RootSquash": wanted[0], "NoSquashNids": list(wanted[1])}
    try:
        file_system.ask(
            file_system.fsx.update_file_system,
            FileSystemId=file_system.id,
            LustreConfiguration={"RootSquashConfiguration": squash},
        )
    except ClientError:
        if not is_busy(file_system.describe()):
            raise
        return False
    return True


def cancel(file_system: FileSystem, starter: str) -> None:
    """Cancel the tasks and wait for the end, since FSx does not delete a file system with a running task."""
    for task in file_system.running_tasks(starter):
        if task["Lifecycle"] != "CANCELING":
            try:
                file_system.ask(file_system.fsx.cancel_data_repository_task, TaskId=task["TaskId"])
            except ClientError as error:
                if code_of(error) not in ("DataRepositoryTaskEnded", "DataRepositoryTaskNotFound"):
                    raise
    while still := file_system.running_tasks(starter):
        file_system.wait(f"{still[0]['TaskId']} is still {still[0]['Lifecycle']}")


def start_import(file_system: FileSystem, paths: list[str], starter: str, token: str) -> None:
    """Start a task; FSx starts only one task for repeated requests with the same token."""
    while True:
        try:
            file_system.ask(
                file_system.fsx.create_data_repository_task,
                Type=IMPORT,
                FileSystemId=file_system.id,
                Paths=paths,
                Report={"Enabled": False},
                Tags=[tag_of(starter)],
                ClientRequestToken=token,
            )
        except ClientError as error:
            if code_of(error) != "DataRepositoryTaskExecuting":
                raise
        else:
            return
        file_system.wait("another data repository task is still running")


def root_squash(event: Record, file_system: FileSystem) -> None:
    """Process a request for a `Custom::LustreRootSquash`."""
    properties = event["ResourceProperties"]
    if event["RequestType"] == "Delete":
        if properties.get("KeepOnDelete") == "true":  # CloudFormation converts all values to strings
            print(f"{file_system.id}: root squash does not change")
        else:
            set_root_squash(file_system, OFF)
    else:
        nids = tuple(sorted(properties.get("NoSquashNids", [])))
        set_root_squash(file_system, (properties["RootSquash"], nids))


def import_task(event: Record, file_system: FileSystem) -> None:
    """Process a request for a `Custom::LustreImportTask`; wait only for cancelled tasks to end."""
    wanted, had = set(event["ResourceProperties"]["Paths"]), set[str]()
    before = event.get("OldResourceProperties", {})
    if before.get("FileSystemId") == file_system.id:
        had = set(before["Paths"])
    starter = starter_of(event)
    if event["RequestType"] == "Delete":
        cancel(file_system, starter)
        return
    running = file_system.running_tasks(starter)
    alive = [set(task["Paths"]) for task in running if task["Lifecycle"] != "CANCELING"]
    # paths of completed tasks are not imported again
    new = (wanted - had) | (wanted & set().union(*alive))
    if new not in alive:
        try:
            cancel(file_system, starter)
            if new:
                start_import(file_system, sorted(new), starter, event["RequestId"])
        except NoTimeError as error:
            # the deployment does not depend on the import, so it does not roll back
            print(f"WARNING: {error}. {by_hand(file_system, sorted(new))}")


def by_hand(file_system: FileSystem, paths: list[str]) -> str:
    """Return the instructions to start an import manually."""
    if not paths:
        return "There are no other paths to import"
    return (
        "The import was not started. Start it manually when no other task is running: "
        f"aws fsx create-data-repository-task --file-system-id {file_system.id} --type {IMPORT} "
        f"--report Enabled=false --paths {shlex.join(paths)}"
    )


KINDS: Mapping[str, Callable[[Record, FileSystem], None]] = {
    "Custom::LustreRootSquash": root_squash,
    "Custom::LustreImportTask": import_task,
}


def handler(event: Record, context: Any) -> None:
    """Process one CloudFormation request, and answer it."""
    kind, file_system_id = event["ResourceType"], event["ResourceProperties"].get("FileSystemId", "none")
    deleting = event["RequestType"] == "Delete"
    answer = {name: event[name] for name in ("StackId", "RequestId", "LogicalResourceId")}
    # the same for all requests about a file system: another file system is a replacement
    answer["PhysicalResourceId"] = f"{file_system_id}/{kind.rpartition('::')[2]}"
    try:
        KINDS[kind](event, FileSystem(file_system_id, context))
        answer["Status"] = "SUCCESS"
    except GoneError as error:
        # the settings and tasks were deleted with the file system
        answer |= {"Status": "SUCCESS"} if deleting else {"Status": "FAILED", "Reason": str(error)}
    except Exception as error:
        traceback.print_exc()
        refused = isinstance(error, RefusedError | ClientError)
        said = f"{kind} of {file_system_id}: {str(error) if refused else repr(error)}"[:LONGEST_REASON]
        if deleting and refused:
            # otherwise the stack would be DELETE_FAILED, or not roll back, until a user fixes the cause
            print(f"WARNING: not changed: {said}")
            answer["Status"] = "SUCCESS"
        else:
            later = "; deploy again later" if isinstance(error, NoTimeError) else ""
            answer |= {"Status": "FAILED", "Reason": said + later}
    print(json.dumps(answer))
    send(event["ResponseURL"], json.dumps(answer).encode())


def send(url: str, body: bytes) -> None:
    """Send an answer with retries. If all fail, raise, and Lambda repeats the request."""
    for wait_s in (1, 2, 0):
        request = urllib.request.Request(url, body, {"Content-Type": ""}, method="PUT")
        try:
            urllib.request.urlopen(request, timeout=5).close()
        except OSError:
            if not wait_s:
                raise
            time.sleep(wait_s)
        else:
            return
