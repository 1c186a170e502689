"""Processes of a test, and free ports."""

from __future__ import annotations

import ctypes
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

_PR_SET_PDEATHSIG = 1
_MARK = "ULTRACLUSTER_TEST_DAEMON"
_FIRST, _LAST = 20000, 32000
"""Below the kernel's client ports, which another process could use before the daemon starts."""


def free_ports(count: int) -> int:
    """Return the first of several consecutive free ports."""
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
    """Foreground processes by name; each is stopped by its own id."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._folder = folder
        self._environment = dict(environment)
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, *command: str, environment: Mapping[str, str] | None = None) -> None:
        """Start a process; its output is written to NAME.out."""
        settings = {**self._environment, **(environment or {}), _MARK: self._mark(name)}
        with (self._folder / f"{name}.out").open("ab") as out:
            self._running[name] = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                env=settings,
                preexec_fn=_die_with_parent,
            )

    def runs(self, name: str) -> bool:
        """Return whether a process was started and not killed."""
        return name in self._running

    def printed(self, name: str) -> str:
        """Return the output of a process."""
        return (self._folder / f"{name}.out").read_text(errors="replace")

    def ended(self, name: str) -> int | None:
        """Return the exit status of a process, None while it runs."""
        return self._running[name].poll()

    def kill(self, name: str) -> None:
        """Kill a process and its children immediately, like a lost node."""
        process = self._running.pop(name)
        process.kill()
        process.wait()
        _kill(_left_by(self._mark(name)))

    def stop(self) -> None:
        """Kill all processes and their jobs; their further output is not needed."""
        for name in tuple(self._running):
            self.kill(name)

    def _mark(self, name: str) -> str:
        return f"{self._folder}/{name}"


def _die_with_parent() -> None:
    """Let the kernel kill this process when the tests' process ends, however that happens."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _left_by(mark: str) -> set[int]:
    """Return the descendants of a daemon, found by parent ids because jobs have another environment."""
    parents: dict[int, int] = {}
    found: set[int] = set()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            variables = (entry / "environ").read_bytes().split(b"\0")
            parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:  # the process has exited
            continue
        if f"{_MARK}={mark}".encode() in variables:
            found.add(int(entry.name))
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def _kill(pids: set[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def wait_until(asked: Callable[[], Any], reported: Callable[[], str], seconds: float = 30) -> Any:
    """Return the first true result; the test fails with a message if there is none in time."""
    deadline = time.monotonic() + seconds
    while not (answer := asked()):
        assert time.monotonic() < deadline, f"waited for {seconds} seconds\n{reported()}"
        time.sleep(0.1)
    return answer


def tail(texts: Sequence[str], lines: int = 30) -> str:
    """Return the last lines of several logs."""
    return "\n".join("\n".join(text.splitlines()[-lines:]) for text in texts)
