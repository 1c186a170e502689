"""How nodes and the Kubernetes API are reached in an account of AWS: a plugin, and signed tokens."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlparse

import boto3
import botocore
import pytest

from scripts.cli.lifecycle.node_shell import HyperPodShell, printed
from scripts.cli.lifecycle.scheduler import OutOfReachError
from scripts.cli.lifecycle.where import Where
from scripts.cli.rehearsal.errors import RehearsalError
from scripts.cli.rehearsal.kubernetes_api import HttpsApi, UnreachableError
from scripts.cli.rehearsal.target import Target

ARN = "arn:aws:sagemaker:us-east-2:123456789012:cluster/abc"

PLUGIN = """#!/bin/sh
printf '%s\\n' "$@" > {asked}
test -t 1 || exit 3
echo "Starting session with SessionId: s-1"
echo ultracluster-begins
echo "train|up"
echo ultracluster-ends:{status}
echo "Exiting session with sessionId: s-1."
"""


class Ssm:
    """A client that gives a session as AWS does."""

    class meta:  # noqa: N801 - as boto3 names it
        endpoint_url = "https://ssm.us-east-2.amazonaws.com"

    def start_session(self, **request: Any) -> dict[str, Any]:
        assert request["DocumentName"] == "AWS-StartNonInteractiveCommand"
        return {
            "SessionId": "s-1",
            "StreamUrl": "wss://ssmmessages.us-east-2.amazonaws.com/x",
            "TokenValue": "t",
        }


class SageMaker:
    """A client that knows one controller."""

    def get_paginator(self, name: str) -> SageMaker:
        assert name == "list_cluster_nodes"
        return self

    def paginate(self, **asked: Any) -> Iterator[dict[str, Any]]:
        node = {
            "InstanceGroupName": "controller",
            "InstanceId": "i-1",
            "InstanceStatus": {"Status": "Running"},
        }
        yield {"ClusterNodeSummaries": [node]}


class Account(Target):
    """An account with these clients."""

    def client(self, service: str, region: str) -> Any:
        return {"ssm": Ssm(), "sagemaker": SageMaker()}[service]


@pytest.fixture
def shell() -> HyperPodShell:
    from config.cluster import load_cluster

    design = load_cluster("p5").design
    assert design is not None
    account = Account("123456789012", started=False, cloud=None)
    return HyperPodShell(Where(target=account, design=design, profile="p5", orchestrator=None, aws=True), ARN)


def put_plugin(folder: Path, monkeypatch: pytest.MonkeyPatch, status: int) -> Path:
    asked, plugin = folder / "asked", folder / "session-manager-plugin"
    plugin.write_text(PLUGIN.format(asked=asked, status=status), encoding="utf-8")
    plugin.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return asked


def test_a_command_on_hyperpod_goes_through_the_plugin_on_a_terminal(
    shell: HyperPodShell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = put_plugin(tmp_path, monkeypatch, 0)
    assert shell.run("sinfo") == "train|up"
    session, region, operation, profile, request, endpoint = asked.read_text().splitlines()
    assert json.loads(session)["TokenValue"] == "t"
    assert (region, operation, profile, endpoint) == ("us-east-2", "StartSession", "", Ssm.meta.endpoint_url)
    assert json.loads(request)["Target"] == "sagemaker-cluster:abc_controller-i-1"
    (command,) = json.loads(request)["Parameters"]["command"]
    assert "sinfo" in command


def test_a_command_that_fails_on_the_node_is_an_error(
    shell: HyperPodShell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_plugin(tmp_path, monkeypatch, 1)
    with pytest.raises(RehearsalError, match=r"Slurm returns an error \(status 1\): train\|up"):
        shell.run("sinfo")


def test_without_the_plugin_it_says_where_it_is_and_what_to_type(
    shell: HyperPodShell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OutOfReachError, match="session-manager-plugin, which is not installed") as error:
        shell.run("sinfo")
    assert any("State=INACTIVE" in command for command in error.value.commands)


@pytest.mark.parametrize("output", ["", "Cannot perform start session: EOF", "ultracluster-begins\ntrain"])
def test_a_session_that_ends_early_is_no_answer(output: str) -> None:
    with pytest.raises(RehearsalError, match="the session ended"):
        printed(output)


class Handler(BaseHTTPRequestHandler):
    """An API server that notes what it was asked."""

    asked: dict[str, Any]

    def do_PATCH(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        type(self).asked = {
            "headers": {k.title(): v for k, v in self.headers.items()},
            "path": self.path,
            "body": body,
        }
        status = 403 if self.path.endswith("forbidden") else 404 if self.path.endswith("none") else 200
        self.send_response(status)
        self.end_headers()
        self.wfile.write(b'{"kind": "Node"}' if status == 200 else b"not json")

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@pytest.fixture
def api() -> Iterator[HttpsApi]:
    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sts = boto3.session.Session(aws_access_key_id="AKIA", aws_secret_access_key="secret").client(
        "sts", region_name="us-east-2"
    )
    bundle = (Path(botocore.__file__).parent / "cacert.pem").read_text(encoding="utf-8")
    first = bundle[bundle.index("-----BEGIN") :].partition("-----END CERTIFICATE-----")
    authority = base64.b64encode("".join(first[:2]).encode()).decode()
    cluster = {
        "name": "mine",
        "endpoint": f"http://127.0.0.1:{server.server_port}",
        "certificateAuthority": {"data": authority},
    }
    yield HttpsApi(sts, cluster)
    server.shutdown()
    server.server_close()


@pytest.mark.long
def test_a_request_to_kubernetes_carries_a_token_that_names_the_cluster(api: HttpsApi) -> None:
    assert api.request("PATCH", "/api/v1/nodes/a", {"spec": {}}) == (200, {"kind": "Node"})
    asked = Handler.asked
    assert (asked["path"], asked["body"]) == ("/api/v1/nodes/a", {"spec": {}})
    assert asked["headers"]["Content-Type"] == "application/merge-patch+json"
    token = asked["headers"]["Authorization"].removeprefix("Bearer k8s-aws-v1.")
    url = urlparse(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode())
    query = parse_qs(url.query)
    assert url.hostname == "sts.us-east-2.amazonaws.com"
    assert query["Action"] == ["GetCallerIdentity"]
    assert "x-k8s-aws-id" in query["X-Amz-SignedHeaders"][0]
    assert query["X-Amz-Expires"] == ["60"]


@pytest.mark.long
def test_who_may_not_ask_kubernetes_is_rejected_and_what_is_not_there_is_a_status(api: HttpsApi) -> None:
    with pytest.raises(UnreachableError, match="the Kubernetes API of mine rejects your identity"):
        api.request("PATCH", "/forbidden", {})
    assert api.request("PATCH", "/none", {}) == (404, {"message": "not json"})
