"""The function that sets root squash and imports from S3: what it waits for, and what it answers."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from scripts.cloud.local import LocalCloud
from tests.cloud.lustre_place import PATHS, REGION, SQUASH, TASK, Place
from ultracluster.storage import lustre_operations_handler as operations


@pytest.fixture
def place(local: LocalCloud) -> Place:
    return Place(local)


class Caller:
    """CloudFormation and the clock, for requests one by one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, place: Place) -> None:
        self.place, self.left_s, self.answers = place, 900.0, list[dict[str, Any]]()
        self.while_waiting: list[Any] = []
        self.client: Any = place.fsx
        monkeypatch.setattr(operations, "send", lambda url, body: self.answers.append(json.loads(body)))
        monkeypatch.setattr(time, "sleep", self._sleep)
        monkeypatch.setattr(boto3, "client", lambda name: self.client)

    def _sleep(self, seconds: float) -> None:
        self.left_s -= seconds
        if self.while_waiting:
            self.while_waiting.pop(0)()

    def get_remaining_time_in_millis(self) -> int:
        return int(self.left_s * 1000)

    def ask(
        self, kind: str, request: str = "Create", old: dict[str, Any] | None = None, **properties: Any
    ) -> dict[str, Any]:
        self.left_s = 900.0
        event: dict[str, Any] = {
            "RequestType": request,
            "ResourceType": kind,
            "ResponseURL": "https://answers",
            "StackId": "stack",
            "RequestId": f"request-{len(self.answers)}",
            "LogicalResourceId": "Resource",
            "ResourceProperties": {"FileSystemId": self.place.id, **properties},
        }
        if old is not None:
            event["OldResourceProperties"] = {"FileSystemId": self.place.id, **old}
        operations.handler(event, self)
        return self.answers[-1]


class Refuses:
    """The service, which answers a few calls with an error first, and all of them where `times` is None."""

    def __init__(self, place: Place, code: str, times: int | None = None) -> None:
        self._place, self._code, self._times = place, code, times

    def __getattr__(self, name: str) -> Any:
        def call(**request: Any) -> Any:
            if self._times is None or self._times > 0:
                self._times = None if self._times is None else self._times - 1
                raise ClientError({"Error": {"Code": self._code}}, name)
            return getattr(self._place.fsx, name)(**request)

        return call


@pytest.fixture
def caller(monkeypatch: pytest.MonkeyPatch, place: Place) -> Iterator[Caller]:
    with monkeypatch.context() as patched:
        yield Caller(patched, place)


def test_root_squash_is_in_force_when_the_answer_comes(caller: Caller) -> None:
    answer = caller.ask(SQUASH, RootSquash="65534:65534", NoSquashNids=["10.0.1.6@tcp"])
    assert answer["Status"] == "SUCCESS"
    assert answer["PhysicalResourceId"] == f"{caller.place.id}/LustreRootSquash"
    assert caller.place.squash() == {"RootSquash": "65534:65534", "NoSquashNids": ["10.0.1.6@tcp"]}
    assert caller.left_s < 900


def test_an_update_that_is_under_way_is_waited_for(caller: Caller) -> None:
    squash = {"RootSquash": "1:1", "NoSquashNids": []}
    caller.place.fsx.update_file_system(
        FileSystemId=caller.place.id, LustreConfiguration={"RootSquashConfiguration": squash}
    )
    assert caller.ask(SQUASH, RootSquash="2:2")["Status"] == "SUCCESS"
    assert caller.place.squash()["RootSquash"] == "2:2"


def test_an_update_that_came_first_is_waited_for(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    real = operations._ask_for_root_squash

    def ask(*args: Any) -> bool:
        if not asked:
            caller.place.fsx.update_file_system(
                FileSystemId=caller.place.id,
                LustreConfiguration={"RootSquashConfiguration": {"RootSquash": "1:1"}},
            )
        asked.append(args)
        return real(*args)

    monkeypatch.setattr(operations, "_ask_for_root_squash", ask)
    assert caller.ask(SQUASH, RootSquash="2:2")["Status"] == "SUCCESS"
    assert len(asked) == 2
    assert caller.place.squash()["RootSquash"] == "2:2"


def _system(caller: Caller) -> Any:
    from moto.fsx.models import fsx_backends

    return fsx_backends[caller.place.cloud.account][REGION].file_systems[caller.place.id]


def test_an_update_that_fails_is_reported_in_the_services_words(caller: Caller) -> None:
    def fail() -> None:
        failure = {"Status": "FAILED", "FailureDetails": {"Message": "a server did not answer"}}
        _system(caller).actions[0].update(failure)

    caller.while_waiting.append(fail)
    answer = caller.ask(SQUASH, RootSquash="2:2")
    assert answer["Status"] == "FAILED"
    assert answer["Reason"].endswith(f"{caller.place.id}: root squash 2:2 failed: a server did not answer")


def test_an_update_without_end_is_answered_before_lambda_stops_the_function(caller: Caller) -> None:
    def stays() -> None:
        _system(caller).actions[0]["Status"] = "PENDING"

    caller.while_waiting += [stays] * 200
    answer = caller.ask(SQUASH, RootSquash="2:2")
    assert answer["Status"] == "FAILED"
    assert "an update is still in progress after 880 s; deploy again later" in answer["Reason"]
    assert caller.left_s >= operations.ANSWER_S


def test_what_the_service_refuses_is_the_answer(caller: Caller) -> None:
    answer = caller.ask(SQUASH, RootSquash="0:5")
    assert answer["Status"] == "FAILED"
    assert "both must be 0" in answer["Reason"]


def test_a_defect_is_answered_too(caller: Caller, capsys: pytest.CaptureFixture[str]) -> None:
    answer = caller.ask(SQUASH)
    assert answer["Status"] == "FAILED"
    assert "KeyError('RootSquash')" in answer["Reason"]
    assert "Traceback" in capsys.readouterr().err
    assert caller.ask("Custom::Other")["Status"] == "FAILED"


def test_a_role_that_is_not_known_everywhere_yet_is_given_time(caller: Caller) -> None:
    caller.client = Refuses(caller.place, "AccessDeniedException", times=3)
    assert caller.ask(SQUASH, RootSquash="2:2")["Status"] == "SUCCESS"
    caller.client = Refuses(caller.place, "AccessDeniedException")
    answer = caller.ask(SQUASH, RootSquash="3:3")
    assert "AccessDenied" in answer["Reason"]
    assert 900 - caller.left_s <= operations.ROLE_SPREADS_S + operations.POLL_S


@pytest.mark.parametrize("code", ["ThrottlingException", "InternalServerError"])
def test_what_passes_by_itself_is_asked_again_within_the_time_that_is_left(caller: Caller, code: str) -> None:
    caller.client = Refuses(caller.place, code, times=40)
    assert caller.ask(SQUASH, RootSquash="2:2")["Status"] == "SUCCESS"
    caller.client = Refuses(caller.place, code)
    answer = caller.ask(SQUASH, RootSquash="3:3")
    assert f"the service still returns {code} after 880 s; deploy again later" in answer["Reason"]
    assert caller.left_s >= operations.ANSWER_S


@pytest.mark.parametrize(
    "code", ["AccessDeniedException", "BadRequest", "InternalServerError", "UnsupportedOperation"]
)
def test_a_deletion_that_the_service_refuses_is_warned_of_and_succeeds(
    caller: Caller, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    caller.client = Refuses(caller.place, code)
    assert caller.ask(SQUASH, "Delete", RootSquash="2:2")["Status"] == "SUCCESS"
    reported = capsys.readouterr().out
    assert f"WARNING: not changed: {SQUASH} of {caller.place.id}: " in reported
    assert code in reported


def test_a_deletion_under_an_update_without_end_succeeds(caller: Caller) -> None:
    def stays() -> None:
        _system(caller).actions[0]["Status"] = "PENDING"

    caller.ask(SQUASH, RootSquash="2:2")
    caller.while_waiting += [stays] * 200
    assert caller.ask(SQUASH, "Delete", RootSquash="2:2")["Status"] == "SUCCESS"
    assert caller.left_s >= operations.ANSWER_S


def test_an_import_starts_once_and_is_not_waited_for(caller: Caller) -> None:
    answer = caller.ask(TASK, Paths=PATHS[:1])
    assert answer["Status"] == "SUCCESS"
    assert answer["PhysicalResourceId"] == f"{caller.place.id}/LustreImportTask"
    assert caller.left_s == 900
    assert caller.place.tasks() == [(PATHS[:1], "PENDING")]


def test_a_request_that_comes_twice_starts_one_task_even_when_the_first_has_ended(caller: Caller) -> None:
    caller.ask(TASK, Paths=PATHS)
    caller.place.end()
    caller.answers.clear()  # the request id begins anew
    assert caller.ask(TASK, Paths=PATHS)["Status"] == "SUCCESS"
    assert caller.place.tasks() == [(PATHS, "SUCCEEDED")]


def test_a_path_that_is_added_is_imported_alone_once_the_others_are(caller: Caller) -> None:
    caller.ask(TASK, Paths=PATHS[:1])
    caller.place.end()
    caller.ask(TASK, "Update", {"Paths": PATHS[:1]}, Paths=PATHS)
    assert [paths for paths, _ in caller.place.tasks()] == [PATHS[:1], PATHS[1:]]


def test_a_path_that_is_taken_out_is_not_imported_further(caller: Caller) -> None:
    caller.ask(TASK, Paths=PATHS)
    caller.ask(TASK, "Update", {"Paths": PATHS}, Paths=PATHS[:1])
    assert caller.place.tasks() == [(PATHS, "CANCELED"), (PATHS[:1], "PENDING")]


def test_an_import_waits_for_a_task_of_somebody_else_and_goes_on_without_at_last(
    caller: Caller, capsys: pytest.CaptureFixture[str]
) -> None:
    fsx = caller.place.fsx
    export = {"Type": "EXPORT_TO_REPOSITORY", "FileSystemId": caller.place.id, "Report": {"Enabled": False}}
    task = fsx.create_data_repository_task(**export, Paths=["a"])["DataRepositoryTask"]["TaskId"]
    caller.while_waiting += [int, lambda: caller.place.end_task(task)]
    assert caller.ask(TASK, Paths=PATHS)["Status"] == "SUCCESS"
    assert caller.left_s == 900 - 2 * operations.POLL_S
    caller.place.end()
    fsx.create_data_repository_task(**export, Paths=["b"])
    assert caller.ask(TASK, "Update", {"Paths": PATHS[:1]}, Paths=PATHS)["Status"] == "SUCCESS"
    assert caller.left_s >= operations.ANSWER_S
    reported = capsys.readouterr().out
    assert "WARNING: " in reported
    assert "another data repository task is still running after 880 s" in reported
    assert f"--file-system-id {caller.place.id} --type {operations.IMPORT}" in reported
    assert f"--paths {PATHS[1]}\n" in reported
    assert caller.ask(TASK, "Delete", Paths=PATHS)["Status"] == "SUCCESS"
    assert caller.place.tasks()[-1] == (["b"], "EXECUTING")


def test_an_import_that_somebody_else_started_for_the_same_paths_is_never_cancelled(caller: Caller) -> None:
    caller.ask(TASK, Paths=PATHS)
    caller.place.end()
    theirs = {"Type": operations.IMPORT, "FileSystemId": caller.place.id, "Report": {"Enabled": False}}
    caller.place.fsx.create_data_repository_task(**theirs, Paths=PATHS, Tags=[{"Key": "a", "Value": "b"}])
    assert caller.ask(TASK, "Update", {"Paths": PATHS}, Paths=PATHS[:1])["Status"] == "SUCCESS"
    assert caller.ask(TASK, "Delete", Paths=PATHS)["Status"] == "SUCCESS"
    assert [lifecycle for _, lifecycle in caller.place.tasks()] == ["SUCCEEDED", "EXECUTING"]


def test_a_file_system_can_be_deleted_once_its_import_task_is(caller: Caller) -> None:
    caller.ask(TASK, Paths=PATHS)
    with pytest.raises(ClientError, match="has a data repository task that is PENDING"):
        caller.place.fsx.delete_file_system(FileSystemId=caller.place.id)
    assert caller.ask(TASK, "Delete", Paths=PATHS)["Status"] == "SUCCESS"
    caller.place.fsx.delete_file_system(FileSystemId=caller.place.id)


def test_an_answer_is_sent_again_where_the_address_does_not_take_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[str] = []

    def urlopen(request: Any, timeout: float) -> Any:
        calls.append(request.get_method())
        raise OSError("no route")

    monkeypatch.setattr(urllib.request, "urlopen", urlopen)
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    with pytest.raises(OSError, match="no route"):
        operations.send("https://answers", b"{}")
    assert calls == ["PUT"] * 3
