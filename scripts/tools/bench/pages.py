"""The page of a large cluster: what it takes beside its plan as text, and how large it is."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from scripts.tools.bench.grown import with_hyperpod_nodes
from scripts.tools.bench.measure import ROOT, Result, Task

PAGE_NODES = 2000
PAGE_GOAL = 3.0
PAGE_LIMIT_BYTES = 2_000_000


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


def page_over_limit() -> Result:
    """The bytes of that page, as a share of what it may have."""
    with tempfile.TemporaryDirectory() as folder:
        command = _command(with_hyperpod_nodes(Path(folder), PAGE_NODES), "html")
        began = time.perf_counter()
        page = subprocess.run(command, cwd=ROOT, env=os.environ, check=True, capture_output=True).stdout
        took = time.perf_counter() - began
    return Result(
        name=f"plan: bytes of the page of {PAGE_NODES:,} nodes, beside {PAGE_LIMIT_BYTES:,}",
        seconds=took,
        memory_mib=0.0,
        ratio=len(page) / PAGE_LIMIT_BYTES,
        goal=1.0,
    )


def _command(profile: str, form: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "scripts.cli.main", "plan", profile, "--format", form)
