"""Which embedded cloud is running: a file that the foreground process writes and other commands read."""

from __future__ import annotations

import json
import socket
from dataclasses import asdict, dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlparse

HOST = "127.0.0.1"
CONTROL = "/_ultracluster/"  # the paths of control.py, which would import all of moto
PATH = Path(__file__).resolve().parents[2] / ".cloud.json"


@dataclass(frozen=True)
class Running:
    """An embedded cloud that somebody started."""

    endpoint: str
    account: str
    pid: int


def write(running: Running) -> None:
    """Say that it runs."""
    PATH.write_text(json.dumps(asdict(running), indent=2) + "\n", encoding="utf-8")


def remove() -> None:
    """Say that it no longer runs."""
    PATH.unlink(missing_ok=True)


def read() -> Running | None:
    """The cloud that runs; None where there is none, or its file was left behind by one that was killed."""
    try:
        running = Running(**json.loads(PATH.read_text(encoding="utf-8")))
        alive = is_alive(running.endpoint)
    except (OSError, ValueError, TypeError, AttributeError):
        return None
    return running if alive else None


def is_alive(endpoint: str) -> bool:
    """Whether an embedded cloud answers at the endpoint; another program on its port does not count."""
    port = urlparse(endpoint).port or 80
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/moto-api/")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def free_port() -> int:
    """A port of the loopback interface that nothing listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port
