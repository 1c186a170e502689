"""Set-up steps with progress lines. Each step is recorded when it succeeds."""

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
    """Return the folder with the records of finished steps, which is deleted with .venv."""
    return root / ".venv/.setup"


@dataclass(frozen=True, kw_only=True)
class Toolbox:
    """The paths of a set-up, and the functions that run its programs."""

    root: Path
    python: str
    log: Path
    on_wait: Callable[[], None] = lambda: None

    @property
    def venv(self) -> Path:
        """The virtual environment."""
        return self.root / ".venv"

    def pip(self, *arguments: str) -> None:
        """Run the pip of the environment."""
        self.run([str(self.venv / "bin/python"), "-m", "pip", "--disable-pip-version-check", *arguments])

    def run(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        """Run a program with its output in the log; stop it if the set-up is interrupted.

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
    """One set-up step. It is done if its inputs are unchanged since it succeeded and its products exist."""

    name: str
    title: str
    inputs: Sequence[Path | str]
    """The step's inputs: files, whose content is compared, and strings."""
    products: Sequence[Path]
    make: Callable[[Toolbox], None]
    registry: str = ""
    """The package registry that the step needs; an error message names it if it is not reachable."""

    def digest(self) -> str:
        """Return the digest of all inputs."""
        total = hashlib.sha256()
        for item in self.inputs:
            total.update(item.read_bytes() if isinstance(item, Path) else item.encode())
            total.update(b"\0")
        return total.hexdigest()

    def record(self, root: Path) -> Path:
        """Return the file that stores the digest of the inputs; it is written when the step succeeds."""
        return records(root) / f"{self.name}.done"

    def is_done(self, root: Path) -> bool:
        """Return whether the step is done."""
        record = self.record(root)
        return (
            record.is_file()
            and record.read_text() == self.digest()
            and all(product.exists() for product in self.products)
        )


class Progress:
    """One line for each step with its duration, which is updated on a terminal."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._number = 0
        self._line = ""
        self._start = 0.0
        self._live = sys.stdout.isatty()

    def begin(self, title: str) -> None:
        """Print the line of the next step."""
        self._number += 1
        self._line = f"[{self._number}/{self._total}] {title}"
        self._start = time.monotonic()
        print(f"{self._line} ...", end="" if self._live else "\n", flush=True)

    def tick(self) -> None:
        """Update the duration of the running step."""
        if self._live:
            print(f"\r{self._line} ... {time.monotonic() - self._start:.0f} s", end="", flush=True)

    def end(self, word: str) -> None:
        """Complete the line of the step."""
        spent = f"{word} in {time.monotonic() - self._start:.1f} s"
        print(f"\r{self._line} {spent}    " if self._live else f"      {spent}", flush=True)


def perform(step: Step, root: Path, python: str, progress: Progress) -> None:
    """Run one step, and record it if it succeeds.

    Raises:
        SetupError: the step failed; the last lines of its output were printed.
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
    """Wait while another set-up of the same checkout runs."""
    handle = os.open(root, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("waiting for another set-up of this checkout", flush=True)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def carry_out(steps: Sequence[Step], root: Path, python: str, stamps: Sequence[str]) -> None:
    """Run the steps that are not done, in order, then touch the stamp files of the Makefile.

    Raises:
        SetupError: a step failed; the steps before it remain done.
    """
    with only_one(root):
        missing = [step for step in steps if not step.is_done(root)]
        if missing[:1] == list(steps[:1]):
            # the first step creates the folder of all other steps
            missing = list(steps)
        if missing:
            print(f"installation: {len(missing)} step{'s' if len(missing) > 1 else ''}", flush=True)
        progress = Progress(len(missing))
        for step in missing:
            perform(step, root, python, progress)
        for stamp in stamps:
            (records(root) / stamp).touch()
