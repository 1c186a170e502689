"""The scheduler and its queues: what waits and why, what nodes are out."""

from __future__ import annotations

from config.design.observability.dashboards.ask import CLUSTER, IN, on_kubernetes
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
from config.design.observability.model import Measured


def board(measured: Measured) -> Board:
    """The dashboard, of Slurm or of Kubernetes and Kueue."""
    return Board(
        board="scheduler",
        title="Scheduler and queues",
        description="What waits and why, and which nodes take no work.",
        variables=(CLUSTER,),
        rows=KUBERNETES_ROWS if on_kubernetes(measured) else (_NOW, _NODES, _QUEUE),
        since="now-12h",
    )


def _most(key: str) -> str:
    """A count of nodes or jobs; of an exporter that counts by partition, in the one that has most of them.

    A node is in several partitions as often as not, so a sum would count it twice.
    """
    return f"max(<{key}>{{{IN}}})"


def _stat(title: str, description: str, key: str, steps: Steps = PLAIN) -> Panel:
    return stat(title, description, _most(key), steps=steps)


_NOW = row(
    "Now",
    _stat("Nodes down", "Nodes that do not answer Slurm.", "slurm_nodes_down", ANY_IS_BAD),
    _stat("Nodes drained", "Nodes that take no new jobs.", "slurm_nodes_drained", ANY_IS_ODD),
    _stat("Nodes that fail", "Nodes about to fail, as health checks say.", "slurm_nodes_failing", ANY_IS_BAD),
    _stat("Jobs lost to nodes", "Jobs that a node failed under.", "slurm_jobs_node_failed", ANY_IS_ODD),
    _stat("Jobs that wait", "Jobs in the queue.", "slurm_jobs_pending"),
    _stat("Jobs that run", "Jobs that have nodes.", "slurm_jobs_running"),
    width=4,
    height=5,
)

_NODES = row(
    "Nodes",
    lines(
        "Nodes by state",
        "What the nodes do. Idle nodes beside waiting jobs: the jobs want something else.",
        (_most("slurm_nodes_allocated"), "at work"),
        (_most("slurm_nodes_mixed"), "at work in part"),
        (_most("slurm_nodes_idle"), "idle"),
        (_most("slurm_nodes_drained"), "drained"),
        (_most("slurm_nodes_down"), "down"),
        stacked=True,
    ),
    table(
        "Drained nodes and why",
        "The reasons that Slurm was given: by people, or by health checks.",
        (f"max by (node, reason) (<slurm_drain_reason>{{{IN}}})", "Drained"),
        columns=("node", "reason"),
        mappings={"1": "yes"},
    ),
    lines(
        "GPUs of jobs",
        "GPUs that jobs have, of all that Slurm knows.",
        (_most("slurm_gpus_allocated"), "of jobs"),
        (_most("slurm_gpus_total"), "all"),
    ),
)

_QUEUE = row(
    "Queue and controller",
    lines(
        "Jobs",
        "Jobs that run and jobs that wait.",
        (_most("slurm_jobs_running"), "run"),
        (_most("slurm_jobs_pending"), "wait"),
    ),
    lines(
        "Time of a scheduling cycle",
        "How long the controller needs to go through the queue: seconds are too long.",
        (_most("slurm_scheduler_cycle"), "main"),
        (_most("slurm_backfill_cycle"), "backfill"),
        unit="µs",
    ),
    lines(
        "Messages to nodes that wait",
        "Messages that the controller has to send again: nodes that do not answer.",
        (_most("slurm_agent_queue"), "messages"),
    ),
    width=8,
)
