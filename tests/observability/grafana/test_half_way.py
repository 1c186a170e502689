"""An interrupted load is completed by the next load, without duplicates."""

from __future__ import annotations

from collections.abc import Callable
from email.message import Message
from http.client import IncompleteRead
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError

import pytest
from botocore.exceptions import ClientError

from scripts.cloud.local import LocalCloud
from tests.observability.grafana.caller import ask
from tests.observability.grafana.place import GrafanaPlace, content
from ultracluster.observability.grafana_function import api as loader_api
from ultracluster.observability.grafana_function import handler as loader
from ultracluster.observability.grafana_function.accounts import Workspace


@pytest.fixture
def place(local: LocalCloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GrafanaPlace:
    made = GrafanaPlace(local, tmp_path)
    monkeypatch.setattr(loader, "CONTENT", made.file)
    return made


def requests_of(place: GrafanaPlace) -> int:
    """Return the number of requests of a complete load; the first load restarts Grafana."""
    answer = ask(place, "Create", place.properties)
    ask(place, "Delete", place.properties, answer.physical_id)
    place.site.requests.clear()
    answer = ask(place, "Create", place.properties)
    made = len(place.site.requests)
    ask(place, "Delete", place.properties, answer.physical_id)
    return made


Real = Callable[..., Any]


def refused(real: Real, *args: Any, **kwargs: Any) -> Any:
    """Grafana rejects the request."""
    request = args[1]
    raise HTTPError(str(request), 400, "Bad Request", Message(), BytesIO(b'{"message": "on purpose"}'))


def lost(real: Real, *args: Any, **kwargs: Any) -> Any:
    """Grafana processes the request, but the response is lost."""
    real(*args, **kwargs)
    raise URLError("connection reset")


def cut_off(real: Real, *args: Any, **kwargs: Any) -> Any:
    """Grafana processes the request, but the response is incomplete."""
    real(*args, **kwargs)
    raise IncompleteRead(b'{"uid"')


@pytest.mark.long
@pytest.mark.parametrize("fault", [refused, lost, cut_off])
@pytest.mark.parametrize("step", [4, 1])
def test_a_failure_at_any_request_is_made_good(
    place: GrafanaPlace, monkeypatch: pytest.MonkeyPatch, fault: Callable[..., Any], step: int
) -> None:
    body = content()
    body["dashboards"] = body["dashboards"][:2]
    place.holds(body)
    whole, real = requests_of(place), loader_api.Api._send
    for struck in range(0, whole, step):
        numbers = iter(range(10_000))

        def sometimes(*args: Any, struck: int = struck, numbers: Any = numbers) -> Any:
            return fault(real, *args) if next(numbers) == struck else real(*args)

        monkeypatch.setattr(loader_api.Api, "_send", sometimes)
        first = ask(place, "Create", place.properties)
        monkeypatch.setattr(loader_api.Api, "_send", real)
        if fault is refused:
            assert "on purpose" in str(first.failure)
            assert first.physical_id == f"{place.workspace_id}/ultracluster"
        else:
            assert first.failure is None
        assert place.accounts() == []
        again = ask(place, "Create", place.properties)
        assert again.failure is None
        site = place.site
        assert sorted(site.dashboards) == ["ultracluster-gpu", "ultracluster-node"]
        assert sorted(site.sources) == ["alertmanager", "cloudwatch", "prometheus"]
        ask(place, "Delete", place.properties, again.physical_id)
        assert (site.sources, site.folders, site.dashboards) == ({}, {}, {})


def test_a_creation_that_fails_half_way_is_taken_back(
    place: GrafanaPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, numbers = loader_api.Api._send, iter(range(10_000))

    def sometimes(*args: Any) -> Any:
        return refused(real, *args) if next(numbers) >= 12 else real(*args)

    monkeypatch.setattr(loader_api.Api, "_send", sometimes)
    failed = ask(place, "Create", place.properties)
    assert failed.failure
    assert place.site.sources
    monkeypatch.setattr(loader_api.Api, "_send", real)
    ask(place, "Delete", place.properties, failed.physical_id)
    assert (place.site.sources, place.site.folders, place.site.dashboards) == ({}, {}, {})


def test_an_account_that_was_left_behind_is_swept_up(place: GrafanaPlace) -> None:
    for name in ("ultracluster-loader", "somebody"):
        place.grafana.create_workspace_service_account(
            workspaceId=place.workspace_id, name=name, grafanaRole="ADMIN"
        )
    ask(place, "Create", place.properties)
    assert place.accounts() == ["somebody"]


def test_an_account_that_cannot_be_deleted_fails_no_load(
    place: GrafanaPlace, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    ask_service = Workspace.call

    def denied(self: Workspace, call: Callable[..., Any], **request: Any) -> Any:
        if call.__name__ == "delete_workspace_service_account":
            raise ClientError({"Error": {"Code": "ValidationException"}}, "DeleteWorkspaceServiceAccount")
        return ask_service(self, call, **request)

    monkeypatch.setattr(Workspace, "call", denied)
    assert ask(place, "Create", place.properties).failure is None
    assert "cannot delete the temporary account, the next run deletes it" in capfd.readouterr().out
    assert place.accounts() == ["ultracluster-loader"]
    monkeypatch.setattr(Workspace, "call", ask_service)
    ask(place, "Update", {**place.properties, "ContentHash": "2"}, "x/y", place.properties)
    assert place.accounts() == []


def test_nothing_that_is_printed_or_answered_holds_a_token(
    place: GrafanaPlace, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    seen, real = list[str](), loader_api.Api.__init__

    def watched(self: loader_api.Api, url: str, token: str, retries: Any) -> None:
        seen.append(token)
        real(self, url, token, retries)

    monkeypatch.setattr(loader_api.Api, "__init__", watched)
    place.site.dashboards["ultracluster-gpu"] = {"dashboard": {"title": "x", "version": 1}, "folderUid": ""}
    place.site.plugin_admin = False
    answer = ask(place, "Create", place.properties)
    (token,) = seen
    assert token.startswith("glsa_")
    assert token not in capfd.readouterr().out
    assert token not in str(answer)
