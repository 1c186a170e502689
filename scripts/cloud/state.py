"""Which embedded cloud is running: a file that the foreground process writes and other commands read."""

from __future__ import annotations

import json
import socket
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlparse

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
    except (OSError, ValueError, TypeError):
        return None
    return running if is_listening(running.endpoint) else None


def is_listening(endpoint: str) -> bool:
    """Whether something answers at the endpoint."""
    place = urlparse(endpoint)
    try:
        with socket.create_connection(("127.0.0.1", place.port or 80), timeout=2):
            return True
    except OSError:
        return False
