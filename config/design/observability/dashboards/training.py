"""A training job: does it move, how fast, what holds it up, and what would be lost."""

from __future__ import annotations

from config.design.observability.dashboards.ask import CLUSTER, IN, job_label, jobs, rate
from config.design.observability.dashboards.parts import (
    PLAIN,
    Board,
    Panel,
    Row,
    Steps,
    Variable,
    lines,
    row,
    stat,
)
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
        rows=(_now(measured), _PACE, _hardware(measured)),
    )


def _stat(title: str, description: str, expression: str, unit: str = "none", steps: Steps = PLAIN) -> Panel:
    return stat(title, description, (expression, "{{run}}"), unit=unit, steps=steps)


def _now(measured: Measured) -> Row:
    saves = measured.checkpoint_interval_s
    late: Steps = ((None, "green"), (2 * saves, "red")) if saves else PLAIN
    return row(
        "Now",
        _stat("Step", "The last step.", f"max by (run) (<train_iteration>{{{RUN}}})"),
        _stat(
            "Steps in 15 minutes",
            "0: the run stands still.",
            f"max by (run) (delta(<train_iteration>{{{RUN}}}[15m]))",
            steps=((None, "red"), (1, "green")),
        ),
        _stat("Last loss", "Of the last step.", f"avg by (run) (<train_loss>{{{RUN}}})"),
        _stat(
            "Work since the last checkpoint",
            "What would be lost if a node failed now.",
            f"time() - max by (run) (<train_checkpoint_time>{{{RUN}}})",
            "s",
            late,
        ),
        width=6,
        height=5,
    )


_PACE = row(
    "Pace",
    lines(
        "Tokens in a second",
        "By run, and the mean of the hour before: a fall is a straggler, a fallback or a slow file system.",
        (f"sum by (run) ({rate('train_tokens', RUN)})", "{{run}}"),
        (f"sum by (run) (rate(<train_tokens>{{{RUN}}}[1h]))", "{{run}} mean of an hour"),
    ),
    lines(
        "Time of a step",
        "The slowest and the fastest rank that shows it.",
        (f"max by (run) (<train_step_seconds>{{{RUN}}})", "{{run}} slowest"),
        (f"min by (run) (<train_step_seconds>{{{RUN}}})", "{{run}} fastest"),
        unit="s",
    ),
    lines(
        "Loss",
        "By run. A gap is a loss that is no number.",
        (f"avg by (run) (<train_loss>{{{RUN}}})", "{{run}}"),
        smallest=None,
        unit="none",
    ),
    lines(
        "Slowest nodes of the runs",
        "The time of a step on each node.",
        (f"topk(10, max by (run, node) (<train_step_seconds>{{{RUN}}}))", "{{run}} {{node}}"),
        unit="s",
    ),
)


def _hardware(measured: Measured) -> Row:
    label = job_label(measured)
    mine = f'{IN},{label}!="",{label}=~"$job"'
    return row(
        "GPUs of the job",
        stat("GPUs", "GPUs that the job has.", f"count(<gpu_utilization>{{{mine}}})", width=4),
        lines(
            "Busy, by node",
            "The mean over a node's GPUs.",
            (f"avg by (node) (<gpu_utilization>{{{mine}}})", "{{node}}"),
            unit="percent",
            largest=100,
            width=10,
        ),
        lines(
            "Tensor cores, by node",
            "The mean over a node's GPUs: the nearest to how much of the hardware is used.",
            (f"avg by (node) (<tensor_active>{{{mine}}})", "{{node}}"),
            unit="percentunit",
            largest=1,
            width=10,
        ),
        lines(
            "Slowest clocks of the job",
            "The GPUs with the lowest clocks: one that is held down slows all.",
            (f"bottomk(5, min by (node, gpu) (<gpu_sm_clock>{{{mine}}}))", "{{node}} GPU {{gpu}}"),
            smallest=None,
            unit="rotmhz",
        ),
        lines(
            "Memory of GPUs",
            "The fullest GPU of each node.",
            (
                f"max by (node) (<gpu_memory_used>{{{mine}}} / (<gpu_memory_used>{{{mine}}} "
                f"+ <gpu_memory_free>{{{mine}}}))",
                "{{node}}",
            ),
            unit="percentunit",
            largest=1,
        ),
    )
