"""The page of a large cluster: what it takes beside its plan as text."""

from __future__ import annotations

import sys
from pathlib import Path

from scripts.tools.bench.grown import with_hyperpod_nodes
from scripts.tools.bench.measure import Task

PAGE_NODES = 2000
PAGE_GOAL = 3.0


def page_tasks(folder: Path) -> list[Task]:
    """The plan of many nodes as a page, beside the same as text."""
    profile = with_hyperpod_nodes(folder, PAGE_NODES)
    reference = f"plan: text of {PAGE_NODES:,} nodes"
    return [
        Task(name=reference, command=_command(profile, "text"), environment={}),
        Task(
            name=f"plan: page of {PAGE_NODES:,} nodes",
            command=_command(profile, "html"),
            environment={},
            reference=reference,
            goal=PAGE_GOAL,
        ),
    ]


def _command(profile: str, form: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "scripts.cli.main", "plan", profile, "--format", form)
