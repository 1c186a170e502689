"""The emulated Grafana rejects mistakes that a real Grafana accepts and shows as an empty panel."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from scripts.cloud.grafana.site import Site

TOKENS = {"admin": "ADMIN", "editor": "EDITOR", "viewer": "VIEWER"}
SOURCE = {
    "uid": "prometheus",
    "name": "metrics",
    "type": "prometheus",
    "access": "proxy",
    "url": "https://metrics",
    "jsonData": {},
}
BOARD = {"uid": "board", "title": "Board", "schemaVersion": 39, "panels": []}


def ask(
    site: Site, method: str, path: str, body: Any = None, token: str = "admin", **headers: str
) -> tuple[int, Any]:
    all_headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", **headers}
    return site.answer(
        method, f"https://g{path}", all_headers, None if body is None else json.dumps(body).encode()
    )


@pytest.fixture
def site() -> Site:
    made = Site(version="12.4", roles=TOKENS.get)
    assert ask(made, "POST", "/api/datasources", SOURCE)[0] == 200
    return made


def panel(**more: Any) -> dict[str, Any]:
    return {"title": "p", "type": "timeseries", "datasource": {"uid": "prometheus"}, **more}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"__inputs": [{"name": "DS_PROMETHEUS"}]}, "placeholders"),
        ({"panels": [panel(datasource={"uid": "${DS_PROMETHEUS}"})]}, "placeholders"),
        ({"panels": [panel(datasource={"uid": "elsewhere"})]}, "Datasource elsewhere was not found"),
        ({"panels": [{"type": "row", "panels": [panel(datasource={"uid": "x"})]}]}, "Datasource x was not"),
        ({"panels": [panel(type="graph")]}, "is of type graph"),
        ({"title": ""}, "title cannot be empty"),
        ({"schemaVersion": None}, "schemaVersion"),
        ({"uid": "x" * 41}, "uid"),
    ],
)
def test_a_dashboard_that_would_break_is_refused(site: Site, changes: dict[str, Any], said: str) -> None:
    assert ask(site, "POST", "/api/dashboards/db", {"dashboard": BOARD})[0] == 200
    status, response = ask(
        site, "POST", "/api/dashboards/db", {"dashboard": {**BOARD, **changes}, "overwrite": True}
    )
    assert (status, said in response["message"]) == (400, True), response


@pytest.mark.parametrize(
    ("changes", "status", "said"),
    [
        ({"uid": "other"}, 409, "same name"),
        ({"name": "other"}, 409, "same name"),
        ({"uid": "o", "name": "o", "colour": "green"}, 400, "unknown fields: colour"),
        ({"uid": "o", "name": "o", "type": "grafana-x-datasource"}, 400, "not installed"),
        ({"uid": "o", "name": "o", "url": "metrics"}, 400, "not an HTTP URL"),
        (
            {"uid": "o", "name": "o", "jsonData": {"sigV4Auth": True, "sigV4Region": "x"}},
            400,
            "does not sign requests",
        ),
        (
            {"uid": "o", "name": "o", "type": "alertmanager", "jsonData": {"sigV4Auth": True}},
            400,
            "sigV4Region",
        ),
        ({"uid": "o", "name": "o", "type": "cloudwatch"}, 400, "defaultRegion"),
    ],
)
def test_a_data_source_that_would_not_work_is_refused(
    site: Site, changes: dict[str, Any], status: int, said: str
) -> None:
    found, response = ask(site, "POST", "/api/datasources", {**deepcopy(SOURCE), **changes})
    assert (found, said in response["message"]) == (status, True), response


@pytest.mark.parametrize(
    ("token", "method", "path", "status"),
    [
        ("nobody", "GET", "/api/org", 401),
        ("viewer", "GET", "/api/org", 200),
        ("viewer", "POST", "/api/folders", 403),
        ("editor", "POST", "/api/folders", 200),
        ("editor", "GET", "/api/datasources", 403),
        ("admin", "GET", "/api/datasources", 200),
        ("admin", "GET", "/api/nothing", 404),
    ],
)
def test_a_token_may_what_its_role_may(site: Site, token: str, method: str, path: str, status: int) -> None:
    body = {"uid": "f", "title": "F"} if method == "POST" else None
    assert ask(site, method, path, body, token)[0] == status


def test_its_health_needs_no_token(site: Site) -> None:
    assert site.answer("GET", "https://g/api/health", {}, None) == (
        200,
        {"database": "ok", "version": "12.4"},
    )


def test_a_dashboard_is_written_over_only_where_that_is_asked(site: Site) -> None:
    for overwrite, status in ((False, 200), (False, 412), (True, 200)):
        body = {"dashboard": BOARD, "overwrite": overwrite}
        assert ask(site, "POST", "/api/dashboards/db", body)[0] == status
    assert site.dashboards["board"]["dashboard"]["version"] == 2


def test_bodies_are_json_and_say_so(site: Site) -> None:
    assert ask(site, "POST", "/api/folders", {}, **{"Content-Type": "text/plain"})[0] == 415
    assert ask(site, "POST", "/api/folders", [])[0] == 400


def test_secrets_are_never_returned(site: Site) -> None:
    source = {**SOURCE, "secureJsonData": {"basicAuthPassword": "s3cret"}}
    assert ask(site, "PUT", "/api/datasources/uid/prometheus", source)[0] == 200
    assert "s3cret" not in json.dumps(ask(site, "GET", "/api/datasources/uid/prometheus")[1])
    assert "s3cret" not in json.dumps(ask(site, "GET", "/api/datasources")[1])
