"""Dashboard of the scheduler and its queues: pending jobs and unavailable nodes."""

from __future__ import annotations

from config.design.observability.dashboards.kubernetes import KUBERNETES_ROWS
from config.design.observability.dashboards.parts import (
    ANY_IS_BAD,
    ANY_IS_ODD,
    PLAIN,
    Board,
    Panel,
    Steps,
    lines,
    row,
    stat,
    table,
)
from config.design.observability.dashboards.promql import CLUSTER, IN, on_kubernetes
from config.design.observability.model import Measured


def board(measured: Measured) -> Board:
    """Return the dashboard of Slurm, or of Kubernetes and Kueue."""
    return Board(
        board="scheduler",
        title="Scheduler and queues",
        description="Pending jobs and their reasons, and nodes that accept no jobs.",
        variables=(CLUSTER,),
        rows=KUBERNETES_ROWS if on_kubernetes(measured) else (_NOW, _NODES, _QUEUE),
        since="now-12h",
    )


def _most(key: str) -> str:
    """Return an expression for the count of nodes or jobs: the largest count of any partition.

    A node is often in several partitions, so a sum would count it twice.
    """
    return f"max(<{key}>{{{IN}}})"


def _stat(title: str, description: str, key: str, steps: Steps = PLAIN) -> Panel:
    return stat(title, description, _most(key), steps=steps)


_NOW = row(
    "Now",
    _stat("Nodes down", "Nodes that do not respond to Slurm.", "slurm_nodes_down", ANY_IS_BAD),
    _stat("Nodes drained", "Nodes that accept no new jobs.", "slurm_nodes_drained", ANY_IS_ODD),
    _stat(
        "Failing nodes",
        "Nodes that health checks report as about to fail.",
        "slurm_nodes_failing",
        ANY_IS_BAD,
    ),
    _stat(
        "Jobs failed by nodes", "Jobs that ended because a node failed.", "slurm_jobs_node_failed", ANY_IS_ODD
    ),
    _stat("Pending jobs", "Jobs in the queue.", "slurm_jobs_pending"),
    _stat("Running jobs", "Jobs that run on nodes.", "slurm_jobs_running"),
    width=4,
    height=5,
)

_NODES = row(
    "Nodes",
    lines(
        "Nodes by state",
        "Number of nodes by state. If nodes are idle while jobs are pending, the jobs request other resources.",
        (_most("slurm_nodes_allocated"), "allocated"),
        (_most("slurm_nodes_mixed"), "partly allocated"),
        (_most("slurm_nodes_idle"), "idle"),
        (_most("slurm_nodes_drained"), "drained"),
        (_most("slurm_nodes_down"), "down"),
        stacked=True,
    ),
    table(
        "Drained nodes and reasons",
        "Reasons that administrators or health checks set in Slurm.",
        (f"max by (node, reason) (<slurm_drain_reason>{{{IN}}})", "Drained"),
        columns=("node", "reason"),
        mappings={"1": "yes"},
    ),
    lines(
        "GPUs in Slurm",
        "GPUs that jobs use, and all GPUs of the cluster in Slurm.",
        (_most("slurm_gpus_allocated"), "allocated"),
        (_most("slurm_gpus_total"), "total"),
    ),
)

_QUEUE = row(
    "Queue and controller",
    lines(
        "Jobs",
        "Running and pending jobs.",
        (_most("slurm_jobs_running"), "running"),
        (_most("slurm_jobs_pending"), "pending"),
    ),
    lines(
        "Duration of a scheduling cycle",
        "Time that the controller needs to process the queue. Several seconds are too long.",
        (_most("slurm_scheduler_cycle"), "main"),
        (_most("slurm_backfill_cycle"), "backfill"),
        unit="µs",
    ),
    lines(
        "Queued messages to nodes",
        "Messages that the controller must send again because nodes do not respond.",
        (_most("slurm_agent_queue"), "messages"),
    ),
    width=8,
)
