"""The jobs section of a plan: team quotas, pod requests and placement on a Kubernetes cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scripts.cli.plan.document import Writer

if TYPE_CHECKING:
    from config.design.report.jobs import JobGroupReport, JobsReport, QuotaReport

_ADMITTED = {
    "kueue": "starts a job only if all of its pods fit; jobs in a team namespace do not need a queue name",
    "volcano": "starts a job only if all of its pods fit; jobs set `schedulerName: volcano`, and "
    "`queue:` to the name of the team",
    "kai": "starts a job only if all of its pods fit; jobs set `schedulerName: kai-scheduler`, and the label "
    "`kai.scheduler/queue` to the name of the team",
}


def write_jobs(out: Writer, jobs: JobsReport) -> None:
    """Write the quotas of the teams, then what a pod requests and where it is placed."""
    out.heading("jobs")
    out.fact("scheduler", f"{jobs.scheduler} {_ADMITTED[jobs.scheduler]}")
    out.table(
        ("team", "namespace", "group", "nodes", "GPUs", "may borrow", "may lend"),
        [_quota(quota, shared=jobs.shared) for quota in jobs.quotas],
        right=(3, 4, 5, 6),
    )
    for group in jobs.groups:
        out.fact(group.group, _asks(group))
        out.fact(group.group, _place(group))
    if jobs.volumes:
        claims = f"volume claim{'s' if len(jobs.volumes) > 1 else ''}"
        out.fact("volumes", f"each namespace has the {claims} {', '.join(jobs.volumes)}")


def _quota(quota: QuotaReport, *, shared: bool) -> tuple[str, ...]:
    bounds = (quota.borrow_nodes, quota.lend_nodes)
    limits = tuple(_bound(bound) for bound in bounds) if shared and quota.team else ("-", "-")
    return (
        quota.team or "(all)",
        quota.namespace or "-",
        quota.group,
        f"{quota.nodes:g}",
        str(quota.gpus or "-"),
        *limits,
    )


def _bound(nodes: float | None) -> str:
    return "any" if nodes is None else f"{nodes:g}"


def _asks(group: JobGroupReport) -> str:
    asked = ", ".join(f"{name}: {amount}" for name, amount in group.asks.items())
    claimed = f"; the pod claims {' and '.join(group.claims)}" if group.claims else ""
    return f"a pod that uses a whole node requests {asked}{claimed}"


def _place(group: JobGroupReport) -> str:
    if len(group.levels) == 1:
        return "placement uses whole nodes; the network topology is not known"
    levels = (label.rpartition("/")[2] for label in group.levels)
    return f"pods of a job are placed as close together as possible; topology levels: {', '.join(levels)}"
