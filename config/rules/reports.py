"""Public failure reports behind the rules: what happened to somebody, and where they told of it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

AREAS = {
    "machines": "instances, interfaces, capacity, placement, addresses and Regions",
    "storage": "storage tiers and data repositories",
    "slurm": "Slurm control planes and the software of their nodes",
    "kubernetes": "Kubernetes control planes and what runs in them",
    "observability": "metrics, dashboards and alerts",
}
"""What the parts of the product are about; a report belongs to the one that makes it impossible."""

_FILE = Path(__file__).parent / "failures.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureReport:
    """One report: `what` happened, in a few words; `source` is where it was told of, `area` one of AREAS."""

    area: str
    what: str
    source: str


FAILURES = {
    name: FailureReport(**row) for name, row in json.loads(_FILE.read_text(encoding="utf-8"))["rows"].items()
}
"""Every report that the product was built against, by its id."""

REPORTS = {name: report.source for name, report in FAILURES.items()}


def reports_in(text: str) -> dict[str, str]:
    """The reports that a text names, with their addresses; KeyError for one that is not listed."""
    return {name: REPORTS[name] for name in re.findall(r"\b[A-Z0-9]+-[0-9]{2}\b", text)}
