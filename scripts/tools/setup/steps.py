"""How a set-up is carried out: steps with records of their success, progress lines, one run at a time."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.tools.setup.failures import explain


def records(root: Path) -> Path:
    """The folder of the records of finished steps; it goes when .venv goes."""
    return root / ".venv/.setup"


@dataclass(frozen=True, kw_only=True)
class Toolbox:
    """Where things are, and how a step runs programs."""

    root: Path
    python: str
    log: Path
    on_wait: Callable[[], None] = lambda: None

    @property
    def venv(self) -> Path:
        """The virtual environment."""
        return self.root / ".venv"

    def pip(self, *arguments: str) -> None:
        """Runs the environment's own pip."""
        self.run([str(self.venv / "bin/python"), "-m", "pip", "--disable-pip-version-check", *arguments])

    def run(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        """Runs a program with its output in the log; a program that outlives an interrupt is stopped.

        Raises:
            subprocess.CalledProcessError: the program failed.
        """
        settings = {**os.environ, **(environment or {})}
        for name in ("PYTHONDONTWRITEBYTECODE", "PYTHONHOME", "PYTHONPATH", "PIP_USER", "PIP_TARGET"):
            settings.pop(name, None)
        with (
            self.log.open("ab") as log,
            subprocess.Popen(
                command, cwd=self.root, env=settings, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            ) as process,
        ):
            try:
                while process.poll() is None:
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        process.wait(timeout=0.5)
                    self.on_wait()
            except BaseException:
                process.terminate()
                raise
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, list(command))


@dataclass(frozen=True, kw_only=True)
class Step:
    """One thing to make. It is done while its inputs and its products are those of the last success."""

    name: str
    title: str
    inputs: Sequence[Path | str]
    """Files by their content, words as they are."""
    products: Sequence[Path]
    make: Callable[[Toolbox], None]
    registry: str = ""
    """The package registry that it needs, for the message when there is no network."""

    def digest(self) -> str:
        """Digest of all inputs."""
        total = hashlib.sha256()
        for item in self.inputs:
            total.update(item.read_bytes() if isinstance(item, Path) else item.encode())
            total.update(b"\0")
        return total.hexdigest()

    def record(self, root: Path) -> Path:
        """The file that holds the digest of the last success."""
        return records(root) / f"{self.name}.done"

    def is_done(self, root: Path) -> bool:
        """Whether the last success still holds."""
        record = self.record(root)
        return (
            record.is_file()
            and record.read_text() == self.digest()
            and all(product.exists() for product in self.products)
        )


class Progress:
    """One line for each step, with its seconds; on a terminal they count while it runs."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._number = 0
        self._line = ""
        self._start = 0.0
        self._live = sys.stdout.isatty()

    def begin(self, title: str) -> None:
        """Starts the next step's line."""
        self._number += 1
        self._line = f"[{self._number}/{self._total}] {title}"
        self._start = time.monotonic()
        print(f"{self._line} ...", end="" if self._live else "\n", flush=True)

    def tick(self) -> None:
        """Counts the seconds of a running step."""
        if self._live:
            print(f"\r{self._line} ... {time.monotonic() - self._start:.0f} s", end="", flush=True)

    def end(self, word: str) -> None:
        """Closes the step's line."""
        spent = f"{word} in {time.monotonic() - self._start:.1f} s"
        print(f"\r{self._line} {spent}    " if self._live else f"      {spent}", flush=True)


def perform(step: Step, root: Path, python: str, progress: Progress) -> None:
    """Runs one step and records its success.

    Raises:
        SetupError: the step failed; the end of its output has been printed.
    """
    progress.begin(step.title)
    log = root / ".setup.log"
    log.write_bytes(b"")
    step.record(root).unlink(missing_ok=True)
    try:
        step.make(Toolbox(root=root, python=python, log=log, on_wait=progress.tick))
    except (subprocess.CalledProcessError, OSError) as error:
        progress.end("failed")
        output = log.read_text(errors="replace")
        if isinstance(error, OSError):
            output += f"{error}\n"
        for line in [line for line in output.splitlines() if line.strip()][-8:]:
            print(f"      {line[:150]}", file=sys.stderr)
        raise explain(step.title, step.registry, output) from None
    step.record(root).write_text(step.digest())
    log.unlink()
    progress.end("done")


@contextlib.contextmanager
def only_one(root: Path) -> Iterator[None]:
    """Makes a second set-up of the same checkout wait for the first."""
    handle = os.open(root, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("another set-up of this checkout is running: waiting for it", flush=True)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def carry_out(steps: Sequence[Step], root: Path, python: str, stamps: Sequence[str]) -> None:
    """Performs the steps that are not done, in order, then sets the stamps that make compares times with.

    Raises:
        SetupError: a step failed; the steps before it stay done.
    """
    with only_one(root):
        missing = [step for step in steps if not step.is_done(root)]
        if missing[:1] == list(steps[:1]):
            # the first step makes the folder that holds all the others
            missing = list(steps)
        if missing:
            print(f"set-up, once: {len(missing)} step{'s' if len(missing) > 1 else ''}", flush=True)
        progress = Progress(len(missing))
        for step in missing:
            perform(step, root, python, progress)
        for stamp in stamps:
            (records(root) / stamp).touch()
