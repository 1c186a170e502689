"""A training job: does it move, how fast, what holds it up, and what would be lost."""

from __future__ import annotations

from config.design.observability.dashboards.ask import (
    CLUSTER,
    IN,
    TO_NODE_OF_SERIES,
    job_label,
    jobs,
)
from config.design.observability.dashboards.parts import Board, Panel, Query, Row, Steps, Variable
from config.design.observability.model import Measured

RUN = f'{IN},run=~"$run"'
_RUNS = Variable(name="run", label="Run", query=f"label_values(<train_iteration>{{{IN}}}, run)")


def board(measured: Measured) -> Board:
    """The dashboard. What GPUs do is shown for runs that show metrics of their own, and for jobs."""
    return Board(
        board="training",
        title="Training job",
        description="Whether a job moves, how fast, and which node holds it up.",
        variables=(CLUSTER, _RUNS, jobs(measured)),
        rows=(_now(measured), _pace(), _hardware(measured)),
    )


def _stat(title: str, description: str, expression: str, unit: str, steps: Steps) -> Panel:
    return Panel(
        kind="stat",
        title=title,
        description=description,
        queries=(Query(expression=expression, legend="{{run}}"),),
        unit=unit,
        steps=steps,
        width=6,
        height=5,
    )


def _now(measured: Measured) -> Row:
    saves = measured.checkpoint_interval_s
    late: Steps = ((None, "green"), (2 * saves, "red")) if saves else ((None, "blue"),)
    return Row(
        title="Now",
        panels=(
            _stat(
                "Step",
                "The last step.",
                f"max by (run) (<train_iteration>{{{RUN}}})",
                "none",
                ((None, "blue"),),
            ),
            _stat(
                "Steps in 15 minutes",
                "0: the run stands still.",
                f"max by (run) (delta(<train_iteration>{{{RUN}}}[15m]))",
                "none",
                ((None, "red"), (1, "green")),
            ),
            _stat(
                "Last loss",
                "Of the last step.",
                f"avg by (run) (<train_loss>{{{RUN}}})",
                "none",
                ((None, "blue"),),
            ),
            _stat(
                "Work since the last checkpoint",
                "What would be lost if a node failed now.",
                f"time() - max by (run) (<train_checkpoint_time>{{{RUN}}})",
                "s",
                late,
            ),
        ),
    )


def _pace() -> Row:
    return Row(
        title="Pace",
        panels=(
            Panel(
                kind="timeseries",
                title="Tokens in a second",
                description="By run, and the mean of the hour before: a fall is a straggler, a fallback or a "
                "slow file system.",
                queries=(
                    Query(
                        expression=f"sum by (run) (rate(<train_tokens>{{{RUN}}}[$__rate_interval]))",
                        legend="{{run}}",
                    ),
                    Query(
                        expression=f"sum by (run) (rate(<train_tokens>{{{RUN}}}[1h]))",
                        legend="{{run}} mean of an hour",
                    ),
                ),
                smallest=0,
            ),
            Panel(
                kind="timeseries",
                title="Time of a step",
                description="The slowest and the fastest rank that shows it.",
                queries=(
                    Query(
                        expression=f"max by (run) (<train_step_seconds>{{{RUN}}})", legend="{{run}} slowest"
                    ),
                    Query(
                        expression=f"min by (run) (<train_step_seconds>{{{RUN}}})", legend="{{run}} fastest"
                    ),
                ),
                unit="s",
                smallest=0,
            ),
            Panel(
                kind="timeseries",
                title="Loss",
                description="By run. A gap is a loss that is no number.",
                queries=(Query(expression=f"avg by (run) (<train_loss>{{{RUN}}})", legend="{{run}}"),),
                unit="none",
            ),
            Panel(
                kind="timeseries",
                title="Slowest nodes of the runs",
                description="The time of a step on each node.",
                queries=(
                    Query(
                        expression=f"topk(10, max by (run, node) (<train_step_seconds>{{{RUN}}}))",
                        legend="{{run}} {{node}}",
                    ),
                ),
                unit="s",
                smallest=0,
                links=(TO_NODE_OF_SERIES,),
            ),
        ),
    )


def _hardware(measured: Measured) -> Row:
    label = job_label(measured)
    mine = f'{IN},{label}!="",{label}=~"$job"'
    return Row(
        title="GPUs of the job",
        panels=(
            Panel(
                kind="stat",
                title="GPUs",
                description="GPUs that the job has.",
                queries=(Query(expression=f"count(<gpu_utilization>{{{mine}}})", legend="GPUs"),),
                width=4,
            ),
            Panel(
                kind="timeseries",
                title="Busy, by node",
                description="The mean over a node's GPUs.",
                queries=(
                    Query(expression=f"avg by (node) (<gpu_utilization>{{{mine}}})", legend="{{node}}"),
                ),
                unit="percent",
                smallest=0,
                largest=100,
                width=10,
                links=(TO_NODE_OF_SERIES,),
            ),
            Panel(
                kind="timeseries",
                title="Tensor cores, by node",
                description="The mean over a node's GPUs: the nearest to how much of the hardware is used.",
                queries=(Query(expression=f"avg by (node) (<tensor_active>{{{mine}}})", legend="{{node}}"),),
                unit="percentunit",
                smallest=0,
                largest=1,
                width=10,
                links=(TO_NODE_OF_SERIES,),
            ),
            Panel(
                kind="timeseries",
                title="Slowest clocks of the job",
                description="The GPUs with the lowest clocks: one that is held down slows all.",
                queries=(
                    Query(
                        expression=f"bottomk(5, min by (node, gpu) (<gpu_sm_clock>{{{mine}}}))",
                        legend="{{node}} GPU {{gpu}}",
                    ),
                ),
                unit="rotmhz",
                links=(TO_NODE_OF_SERIES,),
            ),
            Panel(
                kind="timeseries",
                title="Memory of GPUs",
                description="The fullest GPU of each node.",
                queries=(
                    Query(
                        expression=f"max by (node) (<gpu_memory_used>{{{mine}}} / (<gpu_memory_used>{{{mine}}} "
                        f"+ <gpu_memory_free>{{{mine}}}))",
                        legend="{{node}}",
                    ),
                ),
                unit="percentunit",
                smallest=0,
                largest=1,
                links=(TO_NODE_OF_SERIES,),
            ),
        ),
    )
