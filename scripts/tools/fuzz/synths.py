"""Syntheses of many cases, in batches of new processes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from scripts.tools.fuzz.case import Case
from scripts.tools.fuzz.finding import Finding
from scripts.tools.fuzz.stored import store
from scripts.tools.fuzz.tally import Tally

BATCH = 25
DEPLOY_EVERY = 10
_ROOT = Path(__file__).resolve().parents[3]


def spread(cases: Sequence[Case], count: int) -> list[Case]:
    """Return `count` cases at equal distances in the list."""
    count = min(count, len(cases))
    return [cases[number * len(cases) // count] for number in range(count)]


def synthesize_all(
    cases: Sequence[Case], tally: Tally, progress: Callable[[str], None], *, deploy_every: int = DEPLOY_EVERY
) -> None:
    """Synthesize every case, check its template, and deploy a sample."""
    for start in range(0, len(cases), BATCH):
        _batch(cases[start : start + BATCH], tally, deploy_every)
        progress(tally.summary)


def _batch(cases: Sequence[Case], tally: Tally, deploy_every: int) -> None:
    with TemporaryDirectory(prefix="fuzz-batch-") as folder:
        store(cases, Path(folder))
        command = [
            sys.executable,
            "-m",
            "scripts.tools.fuzz.synth_batch",
            folder,
            "--deploy-every",
            str(deploy_every),
        ]
        done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    for row in rows:
        tally.counts["synthesized"] += 1
        tally.counts["deployed"] += row["deployed"]
        tally.note(cases[row["number"]], tuple(Finding(**finding) for finding in row["findings"]))
    if done.returncode or len(rows) < len(cases):
        finding = Finding(
            "every accepted profile synthesizes and deploys", f"the process stopped: {done.stderr[-500:]}"
        )
        tally.note(cases[min(len(rows), len(cases) - 1)], (finding,))
