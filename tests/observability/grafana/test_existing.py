"""An existing Grafana that several clusters share, over HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from scripts.cloud.grafana.site import Site
from scripts.cloud.local import LocalCloud
from tests.observability.grafana.caller import ask
from tests.observability.grafana.place import PROMETHEUS, REGION, GrafanaPlace, content
from ultracluster.observability.grafana_function import handler as loader

TOKEN = "glsa_existing"


class _Handler(BaseHTTPRequestHandler):
    site: Site

    def _answer(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else None
        status, response = self.site.answer(self.command, self.path, dict(self.headers), body)
        said = json.dumps(response).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    do_GET = do_POST = do_PUT = do_DELETE = _answer  # noqa: N815 - the names of the base class

    def log_message(self, format: str, *arguments: object) -> None:
        """Log nothing."""


@contextmanager
def served(site: Site) -> Iterator[str]:
    handler = type("Handler", (_Handler,), {"site": site})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def site() -> Site:
    return Site(version="10.4.0", roles={TOKEN: "ADMIN", "glsa_viewer": "VIEWER"}.get)


@pytest.fixture
def place(local: LocalCloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GrafanaPlace:
    made = GrafanaPlace(local, tmp_path)
    monkeypatch.setattr(loader, "CONTENT", made.file)
    return made


def wanted(url: str, token: str, local: LocalCloud) -> dict[str, Any]:
    client = local.client("secretsmanager", REGION)
    arn = client.create_secret(Name=f"token-{token}", SecretString=token)["ARN"]
    return {"Url": url, "TokenSecretArn": arn, "PrometheusUrl": PROMETHEUS, "ContentHash": "1"}


def existing(cluster: str, url: str) -> dict[str, Any]:
    secret = f"arn:aws:secretsmanager:{REGION}:123456789012:secret:token-abcdef"
    grafana = {"kind": "existing", "url": url, "token_secret_arn": secret, "version": "10.4"}
    return content(grafana, cluster=cluster)


def test_clusters_share_a_grafana_and_leave_each_other_alone(
    place: GrafanaPlace, local: LocalCloud, site: Site
) -> None:
    theirs = {"uid": "prometheus", "name": "theirs", "type": "prometheus", "url": "https://theirs"}
    site.sources["prometheus"] = theirs
    with served(site) as url:
        properties = wanted(url, TOKEN, local)
        ids = list[str]()
        for cluster in ("alpha", "beta"):
            place.holds(existing(cluster, url))
            answer = ask(place, "Create", properties)
            assert answer.failure is None
            ids.append(answer.physical_id)
        assert len(site.dashboards) == 14
        assert len(site.folders) == 2
        assert len(site.sources) == 7
        ask(place, "Delete", properties, ids[0])
    assert {uid.split("-")[1] for uid in site.dashboards} == {"beta"}
    assert list(site.folders) == ["ultracluster-beta"]
    assert site.sources["prometheus"] is theirs
    assert len(site.sources) == 4


def test_every_repetition_is_stood(place: GrafanaPlace, local: LocalCloud, site: Site) -> None:
    with served(site) as url:
        properties = wanted(url, TOKEN, local)
        place.holds(existing("alpha", url))
        report = place.exercise(properties, {**properties, "ContentHash": "2"})
    assert report.problems == []
    assert (site.sources, site.folders, site.dashboards) == ({}, {}, {})


@pytest.mark.parametrize(
    ("token", "said"), [("glsa_viewer", "403 You'll need the role ADMIN"), ("wrong", "401 Invalid API key")]
)
def test_a_token_without_permission_is_reported(
    place: GrafanaPlace, local: LocalCloud, site: Site, token: str, said: str
) -> None:
    with served(site) as url:
        properties = wanted(url, token, local)
        place.holds(existing("alpha", url))
        answer = ask(place, "Create", properties)
    assert said in str(answer.failure)
    assert token not in str(answer.failure)
    assert site.dashboards == {}


def test_a_secret_that_is_gone_holds_no_deletion_up(place: GrafanaPlace) -> None:
    secret_arn = f"arn:aws:secretsmanager:{REGION}:123456789012:secret:gone-abcdef"
    properties = {"Url": "http://127.0.0.1:9", "TokenSecretArn": secret_arn, "ContentHash": "1"}
    assert ask(place, "Delete", properties, "http://127.0.0.1:9/ultracluster-alpha").failure is None


def test_a_plugin_that_may_not_be_installed_is_named(
    place: GrafanaPlace, local: LocalCloud, site: Site
) -> None:
    site.version, site.plugin_admin = "12.4.0", False
    with served(site) as url:
        properties = wanted(url, TOKEN, local)
        secret = properties["TokenSecretArn"]
        place.holds(content({"kind": "existing", "url": url, "token_secret_arn": secret, "version": "12.4"}))
        answer = ask(place, "Create", properties)
    assert "install the plugin grafana-amazonprometheus-datasource in this Grafana" in str(answer.failure)
