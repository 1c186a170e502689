"""File with the address of the running embedded cloud, which the cloud writes and other commands read."""

from __future__ import annotations

import json
import socket
from dataclasses import asdict, dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlparse

HOST = "127.0.0.1"
CONTROL = "/_ultracluster/"  # the paths of control.py, whose import would load all of moto
PATH = Path(__file__).resolve().parents[2] / ".cloud.json"


@dataclass(frozen=True)
class Running:
    """A running embedded cloud."""

    endpoint: str
    account: str
    pid: int


def write(running: Running) -> None:
    """Write the state file."""
    PATH.write_text(json.dumps(asdict(running), indent=2) + "\n", encoding="utf-8")


def remove() -> None:
    """Delete the state file."""
    PATH.unlink(missing_ok=True)


def read() -> Running | None:
    """Return the running cloud; None if no cloud responds, even if a terminated cloud left its state file."""
    try:
        running = Running(**json.loads(PATH.read_text(encoding="utf-8")))
        alive = is_alive(running.endpoint)
    except (OSError, ValueError, TypeError, AttributeError):
        return None
    return running if alive else None


def is_alive(endpoint: str) -> bool:
    """Return whether an embedded cloud responds at the endpoint; False if another program uses the port."""
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
    """Return a free port of the loopback interface."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port
