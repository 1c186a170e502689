"""Times of processes that run in turn, and the median time of each."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A process to time; `reference` is the name of the task that it is compared with."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    reference: str | None = None
    goal: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The median time of a task, its highest memory use, and its ratio to the median of the reference."""

    name: str
    seconds: float
    memory_mib: float
    ratio: float | None
    goal: float | None

    def within(self) -> bool:
        """Return whether the task reaches its goal; True if it has no goal."""
        return self.ratio is None or self.goal is None or self.ratio <= self.goal


def python_task(
    name: str, *arguments: str, reference: str | None = None, goal: float | None = None, **environment: str
) -> Task:
    """Return a task that runs Python with these arguments and environment variables."""
    command = (sys.executable, *arguments)
    return Task(name=name, command=command, environment=environment, reference=reference, goal=goal)


def synth_task(
    name: str,
    profile: str,
    *,
    validation: bool = True,
    reference: str | None = None,
    goal: float | None = None,
) -> Task:
    """Return a task that synthesizes a profile as `cdk synth` does, without the CDK CLI."""
    context, validated = json.dumps({"profile": profile}), str(validation).lower()
    return python_task(
        name,
        str(ROOT / "app.py"),
        reference=reference,
        goal=goal,
        CDK_CONTEXT_JSON=context,
        CDK_VALIDATION=validated,
    )


def floor_task(name: str, *, validation: bool) -> Task:
    """Return a task that synthesizes the floor app."""
    floor = str(ROOT / "scripts" / "tools" / "bench" / "floor.py")
    return python_task(name, floor, CDK_VALIDATION=str(validation).lower())


def measure(tasks: Sequence[Task], rounds: int, progress: Callable[[str], None]) -> list[Result]:
    """Run each task once in every round, so that other load on the computer affects all tasks equally.

    Before the first round, each program runs once to fill caches; this run is not counted.
    """
    seconds: dict[str, list[float]] = {task.name: [] for task in tasks}
    memory: dict[str, float] = {task.name: 0.0 for task in tasks}
    progress("warming up")
    for task in {task.command: task for task in tasks}.values():
        _run(task)
    for number in range(1, rounds + 1):
        progress(f"round {number} of {rounds}")
        for task in tasks:
            took, mib = _run(task)
            seconds[task.name].append(took)
            memory[task.name] = max(memory[task.name], mib)
    medians = {name: statistics.median(taken) for name, taken in seconds.items()}
    return [
        Result(
            name=task.name,
            seconds=medians[task.name],
            memory_mib=memory[task.name],
            ratio=medians[task.name] / medians[task.reference] if task.reference else None,
            goal=task.goal,
        )
        for task in tasks
    ]


def _run(task: Task) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder:
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"CDK_OUTDIR": folder, **task.environment}
        began = time.perf_counter()
        process = subprocess.Popen(
            task.command, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        _, status, usage = os.wait4(process.pid, 0)
        took = time.perf_counter() - began
        said = process.stderr.read().decode() if process.stderr else ""
        if process.stderr:
            process.stderr.close()
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"error: {task.name} stopped with exit status {process.returncode}\n{said}")
    return took, usage.ru_maxrss / 1024
