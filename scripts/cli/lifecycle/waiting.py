"""Wait until the jobs of a cluster have finished, and keep new jobs stopped during the wait.

New jobs must be stopped repeatedly: when the cluster's service configures nodes again, Slurm reloads its
configuration, and partitions become active.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from scripts.cli.rehearsal.errors import RehearsalError

from .deadline import in_words
from .reporter import Reporter
from .scheduler import RunningJob, Scheduler, Scope
from .where import Where

POLL_S = 30.0
_GRACE = timedelta(minutes=15)
"""Time for cancelled jobs to end before the wait fails."""

_SHOWN = 5


def wait_for_jobs(
    where: Where,
    scheduler: Scheduler,
    scope: Scope,
    reporter: Reporter,
    *,
    deadline: datetime | None,
    cancel: bool = False,
    way_on: str = "",
) -> None:
    """Wait until no job of a scope runs; at the deadline, cancel the jobs or raise."""
    cancelled_at: datetime | None = None
    while True:
        again = scheduler.hold(scope)
        if again:
            reporter.report(
                "held-again",
                f"  new jobs were allowed again in the meantime, and are stopped again: {few(again)}",
                changed=again,
            )
        jobs = scheduler.running(scope)
        if not jobs:
            reporter.report("jobs", "  no jobs run", jobs=0, nodes=0)
            return
        now = where.now()
        _report_jobs(reporter, jobs, None if deadline is None else (deadline - now).total_seconds())
        if deadline is not None and now >= deadline:
            if not cancel:
                raise RehearsalError(_refusal(jobs, way_on))
            if cancelled_at is not None and now >= cancelled_at + _GRACE:
                raise RehearsalError(f"{_count(jobs)} after the cancellation: {listed(jobs)}")
            if cancelled_at is None:
                reporter.report(
                    "cancel", f"  the deadline has passed: cancelling {_jobs(jobs)}", jobs=len(jobs)
                )
                cancelled_at = now
            scheduler.cancel(scope)
        where.target.sleep(_pause(now, deadline))


def _pause(now: datetime, deadline: datetime | None) -> float:
    """Return the seconds until the next poll, or until the deadline if the deadline is earlier."""
    left = POLL_S if deadline is None else (deadline - now).total_seconds()
    return min(POLL_S, left) if left > 0 else POLL_S


def _report_jobs(reporter: Reporter, jobs: Sequence[RunningJob], left_s: float | None) -> None:
    nodes = sum(job.nodes for job in jobs)
    until = f", {in_words(left_s)} left" if left_s is not None and left_s > 0 else ""
    reporter.report(
        "jobs",
        f"  {_count(jobs)} on {nodes} node{'s' if nodes != 1 else ''}{until}: {listed(jobs)}",
        jobs=len(jobs),
        nodes=nodes,
        left_s=None if left_s is None else round(left_s),
        running=[vars(job) for job in jobs],
    )


def _refusal(jobs: Sequence[RunningJob], way_on: str) -> str:
    lines = [
        f"the deadline has passed and {_count(jobs)}: {listed(jobs)}",
        "no job was cancelled, and no new job starts; continue with one of these options:",
        "  a later --deadline, to wait",
        "  --cancel-jobs, to cancel them",
    ]
    return "\n".join([*lines, *([f"or let jobs start again: {way_on}"] if way_on else [])])


def _jobs(jobs: Sequence[RunningJob]) -> str:
    return f"{len(jobs)} job{'s' if len(jobs) != 1 else ''}"


def _count(jobs: Sequence[RunningJob]) -> str:
    return f"{_jobs(jobs)} still run{'s' if len(jobs) == 1 else ''}"


def listed(jobs: Sequence[RunningJob]) -> str:
    """Return the first jobs by name, and the number of further jobs."""
    return few([f"{job.name} ({job.id})" for job in jobs])


def few(names: Sequence[str]) -> str:
    """Return the first names of a list, and the number of further names."""
    shown = ", ".join(names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown
