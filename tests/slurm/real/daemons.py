"""Processes of a test, and ports that nobody has."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

_MARK = "ULTRACLUSTER_TEST_DAEMON"
_FIRST, _LAST = 20000, 32000
"""Below the ports that the kernel gives to clients, which would take one between now and its use."""


def free_ports(count: int) -> int:
    """The first of so many free ports in a row."""
    for _ in range(200):
        first = random.randrange(_FIRST, _LAST - count)
        if all(_is_free(first + offset) for offset in range(count)):
            return first
    raise RuntimeError(f"no {count} ports in a row are free")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("0.0.0.0", port))
        except OSError:
            return False
    return True


class Daemons:
    """Foreground processes by name; each is ended by its own id."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._folder = folder
        self._environment = dict(environment)
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, *command: str) -> None:
        """Start one; what it prints goes to NAME.out."""
        environment = {**self._environment, _MARK: self._mark(name)}
        with (self._folder / f"{name}.out").open("ab") as out:
            self._running[name] = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment
            )

    def printed(self, name: str) -> str:
        """All that one printed."""
        return (self._folder / f"{name}.out").read_text(errors="replace")

    def ended(self, name: str) -> int | None:
        """The exit status of one, None while it runs."""
        return self._running[name].poll()

    def kill(self, name: str) -> None:
        """End one and all that it started, without warning, as a machine that is lost."""
        process = self._running.pop(name)
        process.kill()
        process.wait()
        _kill(_left_by(self._mark(name)))

    def stop(self) -> None:
        """End all, with the jobs that they run; nobody needs what they would still write."""
        for name in tuple(self._running):
            self.kill(name)

    def _mark(self, name: str) -> str:
        return f"{self._folder}/{name}"


def _left_by(mark: str) -> set[int]:
    """What a daemon started, and what that started: jobs have another environment, so by their parents."""
    parents: dict[int, int] = {}
    found: set[int] = set()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            words = (entry / "environ").read_bytes().split(b"\0")
            parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has ended
            continue
        if f"{_MARK}={mark}".encode() in words:
            found.add(int(entry.name))
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def _kill(pids: set[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def wait_until(asked: Callable[[], Any], told: Callable[[], str], seconds: float = 30) -> Any:
    """The first answer that is true; where none comes, the test fails with what is told."""
    deadline = time.monotonic() + seconds
    while not (answer := asked()):
        assert time.monotonic() < deadline, f"waited for {seconds} seconds\n{told()}"
        time.sleep(0.1)
    return answer


def tail(texts: Sequence[str], lines: int = 30) -> str:
    """The ends of some logs."""
    return "\n".join("\n".join(text.splitlines()[-lines:]) for text in texts)
