"""The embedded cloud as a process: it starts, says where it is, and ends without a trace."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from boto3 import Session

from scripts.cloud import process, server, state
from scripts.cloud.process import CloudError, start_cloud

if TYPE_CHECKING:
    from scripts.cloud.process import Cloud

pytestmark = pytest.mark.cloud


@pytest.mark.long
def test_children_are_kept_away_from_the_machines_own_aws_settings(cloud: Cloud) -> None:
    variables = cloud.environment()
    assert variables["AWS_ENDPOINT_URL"] == cloud.endpoint
    assert cloud.endpoint.startswith("http://localhost:")
    assert variables["AWS_CONFIG_FILE"] == variables["AWS_SHARED_CREDENTIALS_FILE"] == os.devnull
    assert "AWS_REGION" not in variables


def test_the_account_is_the_one_that_was_asked_for(cloud: Cloud) -> None:
    assert cloud.client("sts", "us-west-2").get_caller_identity()["Account"] == "123456789012"


def test_a_cloud_that_does_not_start_says_why() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(CloudError, match=f"port {port} is in use"):
            start_cloud(port)


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_in_the_foreground_it_tells_what_to_export_and_ends_cleanly(
    number: signal.Signals, tmp_path: Path
) -> None:
    where = tmp_path / "cloud.json"
    code = (
        "import sys; from pathlib import Path; from scripts.cloud import server, state; "
        f"state.PATH = Path({os.fspath(where)!r}); sys.exit(server.main([]))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=process.ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not where.exists():
            time.sleep(0.05)
        said = json.loads(where.read_text())
        assert said["pid"] == running.pid
        while time.monotonic() < deadline and not state.is_alive(said["endpoint"]):
            time.sleep(0.05)
        running.send_signal(number)
        output, errors = running.communicate(timeout=30)
    assert running.returncode == 0
    assert f"export AWS_ENDPOINT_URL={said['endpoint']}" in output
    assert errors == ""
    assert not where.exists()


def test_a_state_file_left_behind_counts_as_no_cloud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "PATH", tmp_path / "cloud.json")
    assert state.read() is None
    state.write(state.Running("http://localhost:9", "123456789012", 1))
    assert state.read() is None
    (tmp_path / "cloud.json").write_text("{broken")
    assert state.read() is None


def test_a_second_cloud_leaves_the_first_ones_place_alone(
    cloud: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(state, "PATH", tmp_path / "cloud.json")
    state.write(state.Running(cloud.endpoint, cloud.account, os.getpid()))
    assert server.main([]) == 2
    assert f"an embedded cloud already runs at {cloud.endpoint}" in capsys.readouterr().err
    assert state.read() == state.Running(cloud.endpoint, cloud.account, os.getpid())


@pytest.mark.parametrize("port", ["99999", "0", "-1", "80x"])
def test_a_port_that_cannot_be_is_refused_in_words(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        server.main([f"--port={port}"])
    assert "--port" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", '{"endpoint": 5, "account": "1", "pid": 1}',
        '{"endpoint": "http://localhost:notaport", "account": "1", "pid": 1}',
        '{"endpoint": "http://localhost:1", "account": "1", "pid": 1}',
    ],
)  # fmt: skip
def test_a_file_that_was_left_or_broken_means_that_no_cloud_runs(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state, "PATH", tmp_path / "cloud.json")
    state.PATH.write_text(text, encoding="utf-8")
    assert state.read() is None


def test_another_program_on_the_port_is_no_cloud() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as other:
        Thread(target=other.handle_request, daemon=True).start()
        assert not state.is_alive(f"http://localhost:{other.server_address[1]}")


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("service", "operation"),
    [("pcs", "list_clusters"), ("sagemaker", "list_clusters"), ("fsx", "describe_file_systems")],
)
def test_a_service_that_the_cloud_plays_itself_answers_at_the_root_too(
    cloud: Cloud, service: str, operation: str
) -> None:
    session = Session(aws_access_key_id="any", aws_secret_access_key="any", region_name="us-west-2")
    make: Callable[..., Any] = session.client
    answer = getattr(make(service, endpoint_url=cloud.endpoint), operation)()
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 200
