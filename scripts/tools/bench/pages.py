"""Time of the HTML plan of a large cluster, compared with the text plan."""

from __future__ import annotations

from pathlib import Path

from scripts.tools.bench.grown import with_hyperpod_nodes
from scripts.tools.bench.measure import Task, python_task

PAGE_NODES = 2000
PAGE_GOAL = 3.0


def page_tasks(folder: Path) -> list[Task]:
    """Return the tasks of the text plan and of the HTML plan; the text plan is the reference."""
    profile = with_hyperpod_nodes(folder, PAGE_NODES)
    reference = f"plan: text of {PAGE_NODES:,} nodes"
    plan = ("-m", "scripts.cli.main", "plan", profile, "--format")
    page = f"plan: page of {PAGE_NODES:,} nodes"
    return [
        python_task(reference, *plan, "text"),
        python_task(page, *plan, "html", reference=reference, goal=PAGE_GOAL),
    ]
