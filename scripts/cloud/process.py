"""Start and stop of an embedded cloud in a separate process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict
from http.client import HTTPConnection
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self
from urllib.parse import quote, urlparse

from . import clients
from .faults import Fault
from .state import CONTROL, HOST, free_port, is_alive

ROOT = Path(__file__).resolve().parents[2]
START_TIMEOUT_S = 60.0


class CloudError(Exception):
    """The embedded cloud did not start or returned an error; the message is the reason."""


def environment(endpoint: str, account: str) -> dict[str, str]:
    """Return the environment variables of a child process that uses only the embedded cloud."""
    return {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": clients.access_key(account),
        "AWS_SECRET_ACCESS_KEY": clients.SECRET_KEY,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "NO_PROXY": "localhost,127.0.0.1",
    }


class Cloud:
    """A running embedded cloud: its endpoint and its clients."""

    def __init__(self, endpoint: str, account: str, process: subprocess.Popen[bytes] | None = None) -> None:
        self.endpoint, self.account = endpoint, account
        self._process = process
        self._clients: dict[tuple[str, str], Any] = {}

    def environment(self) -> Mapping[str, str]:
        """Return the environment variables of child processes, to be added to `os.environ`."""
        return environment(self.endpoint, self.account)

    def client(self, service: str, region: str) -> Any:
        """Return a boto3 client; clients are cached."""
        key = (service, region)
        if key not in self._clients:
            self._clients[key] = clients.client(self.endpoint, self.account, service, region)
        return self._clients[key]

    def inject(self, fault: Fault) -> None:
        """Inject a fault."""
        self._control("POST", "faults", asdict(fault))

    def timeline(self, stack: str) -> dict[str, Any]:
        """Return the duration that a stack's last operation would have on AWS (see `timeline.report`)."""
        found: dict[str, Any] = self._control("GET", f"timeline?stack={quote(stack)}")
        return found

    def simulation(self, name: str, /, **body: Any) -> Any:
        """Send a request to the cloud's simulation (see `simulation/requests.py`)."""
        return self._control("POST", name, body)

    def _control(self, method: str, path: str, body: Any = None) -> Any:
        connection = HTTPConnection(HOST, urlparse(self.endpoint).port or 80, timeout=30)
        try:
            connection.request(method, CONTROL + path, None if body is None else json.dumps(body))
            answer = json.loads(connection.getresponse().read())
        finally:
            connection.close()
        if isinstance(answer, dict) and "error" in answer:
            raise CloudError(answer["error"])
        return answer

    def stop(self) -> None:
        """Stop the process if it was started for this cloud; other processes continue to run."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def start_cloud(
    port: int | None = None,
    *,
    account: str = clients.ACCOUNT_ID,
    pace: float | None = None,
) -> Cloud:
    """Start an embedded cloud on `port` or a free port, and wait for it; `pace` as in `serve`."""
    port = port or free_port()
    endpoint = f"http://localhost:{port}"
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "scripts.cloud.server",
                "--port",
                str(port),
                "--account",
                account,
                "--quiet",
                *([] if pace is None else ["--pace", str(pace)]),
            ],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        _wait(process, endpoint, log)
    return Cloud(endpoint, account, process)


def _wait(process: subprocess.Popen[bytes], endpoint: str, log: IO[bytes]) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while process.poll() is None and time.monotonic() < deadline:
        if is_alive(endpoint):
            return
        time.sleep(0.05)
    process.kill()
    process.wait()
    log.seek(0)
    lines = log.read().decode(errors="replace").strip().splitlines()[-5:]
    raise CloudError("\n".join([f"the embedded cloud did not start at {endpoint}", *lines]))
