"""The scheduler and its queues: what waits and why, what nodes are out."""

from __future__ import annotations

from config.design.observability.dashboards.ask import (
    CLUSTER,
    IN,
    TO_NODE,
    on_kubernetes,
)
from config.design.observability.dashboards.kubernetes import kubernetes_rows
from config.design.observability.dashboards.parts import ANY_IS_BAD, ANY_IS_ODD, Board, Panel, Query, Row
from config.design.observability.model import Measured


def board(measured: Measured) -> Board:
    """The dashboard, of Slurm or of Kubernetes and Kueue."""
    return Board(
        board="scheduler",
        title="Scheduler and queues",
        description="What waits and why, and which nodes take no work.",
        variables=(CLUSTER,),
        rows=kubernetes_rows() if on_kubernetes(measured) else (_now(), _nodes(), _queue()),
        since="now-12h",
    )


def _most(key: str) -> str:
    """A count of nodes or jobs; of an exporter that counts by partition, in the one that has most of them.

    A node is in several partitions as often as not, so a sum would count it twice.
    """
    return f"max(<{key}>{{{IN}}})"


def _stat(title: str, description: str, key: str, steps: tuple[tuple[float | None, str], ...]) -> Panel:
    return Panel(
        kind="stat",
        title=title,
        description=description,
        queries=(Query(expression=_most(key), legend=title),),
        steps=steps,
        width=4,
        height=5,
    )


def _now() -> Row:
    plain = ((None, "blue"),)
    return Row(
        title="Now",
        panels=(
            _stat("Nodes down", "Nodes that do not answer Slurm.", "slurm_nodes_down", ANY_IS_BAD),
            _stat("Nodes drained", "Nodes that take no new jobs.", "slurm_nodes_drained", ANY_IS_ODD),
            _stat(
                "Nodes that fail",
                "Nodes about to fail, as health checks say.",
                "slurm_nodes_failing",
                ANY_IS_BAD,
            ),
            _stat(
                "Jobs lost to nodes", "Jobs that a node failed under.", "slurm_jobs_node_failed", ANY_IS_ODD
            ),
            _stat("Jobs that wait", "Jobs in the queue.", "slurm_jobs_pending", plain),
            _stat("Jobs that run", "Jobs that have nodes.", "slurm_jobs_running", plain),
        ),
    )


def _nodes() -> Row:
    states = (
        ("slurm_nodes_allocated", "at work"),
        ("slurm_nodes_mixed", "at work in part"),
        ("slurm_nodes_idle", "idle"),
        ("slurm_nodes_drained", "drained"),
        ("slurm_nodes_down", "down"),
    )
    return Row(
        title="Nodes",
        panels=(
            Panel(
                kind="timeseries",
                title="Nodes by state",
                description="What the nodes do. Idle nodes beside waiting jobs: the jobs want something else.",
                queries=tuple(Query(expression=_most(key), legend=name) for key, name in states),
                stacked=True,
                smallest=0,
            ),
            Panel(
                kind="table",
                title="Drained nodes and why",
                description="The reasons that Slurm was given: by people, or by health checks.",
                queries=(Query(expression=f"max by (node, reason) (<slurm_drain_reason>{{{IN}}})"),),
                columns={"node": "Node", "reason": "Reason"},
                values=("Drained",),
                mappings={"1": "yes"},
                links=(TO_NODE,),
            ),
            Panel(
                kind="timeseries",
                title="GPUs of jobs",
                description="GPUs that jobs have, of all that Slurm knows.",
                queries=(
                    Query(expression=_most("slurm_gpus_allocated"), legend="of jobs"),
                    Query(expression=_most("slurm_gpus_total"), legend="all"),
                ),
                smallest=0,
            ),
        ),
    )


def _queue() -> Row:
    return Row(
        title="Queue and controller",
        panels=(
            Panel(
                kind="timeseries",
                title="Jobs",
                description="Jobs that run and jobs that wait.",
                queries=(
                    Query(expression=_most("slurm_jobs_running"), legend="run"),
                    Query(expression=_most("slurm_jobs_pending"), legend="wait"),
                ),
                smallest=0,
                width=8,
            ),
            Panel(
                kind="timeseries",
                title="Time of a scheduling cycle",
                description="How long the controller needs to go through the queue: seconds are too long.",
                queries=(
                    Query(expression=_most("slurm_scheduler_cycle"), legend="main"),
                    Query(expression=_most("slurm_backfill_cycle"), legend="backfill"),
                ),
                unit="µs",
                smallest=0,
                width=8,
            ),
            Panel(
                kind="timeseries",
                title="Messages to nodes that wait",
                description="Messages that the controller has to send again: nodes that do not answer.",
                queries=(Query(expression=_most("slurm_agent_queue"), legend="messages"),),
                smallest=0,
                width=8,
            ),
        ),
    )
