"""The embedded cloud as a process: it starts, says where it is, and ends without a trace."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scripts.cloud import process, state
from scripts.cloud.process import CloudError, start_cloud

if TYPE_CHECKING:
    from scripts.cloud.process import Cloud

pytestmark = pytest.mark.cloud


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
        with pytest.raises(CloudError, match=f"port {port} is taken"):
            start_cloud(port)


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
