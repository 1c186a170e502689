"""Public failure reports behind the rules: summaries and sources."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

AREAS = {
    "machines": "instances, interfaces, capacity, placement, addresses and Regions",
    "storage": "storage tiers and data repositories",
    "slurm": "Slurm control planes and the software of their nodes",
    "kubernetes": "Kubernetes control planes and their components",
    "observability": "metrics, dashboards and alerts",
}
"""Parts of ultracluster and their subjects. A report belongs to the part that prevents the failure."""

_FILE = Path(__file__).parent / "failures.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureReport:
    """A report. `what` summarizes the failure, `source` is a web address, and `area` is a key of AREAS."""

    area: str
    what: str
    source: str


FAILURES = {
    name: FailureReport(**row) for name, row in json.loads(_FILE.read_text(encoding="utf-8"))["rows"].items()
}
"""All reports by id."""

REPORTS = {name: report.source for name, report in FAILURES.items()}


def reports_in(text: str) -> dict[str, str]:
    """Return the address of each report whose id is in the text; raise KeyError for an unknown report."""
    return {name: REPORTS[name] for name in re.findall(r"\b[A-Z0-9]+-[0-9]{2}\b", text)}
