"""Dashboard of a training job: progress, speed, slow nodes, and work since the last checkpoint."""

from __future__ import annotations

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
from config.design.observability.dashboards.promql import CLUSTER, IN, job_label, jobs, rate
from config.design.observability.model import Measured

RUN = f'{IN},run=~"$run"'
_RUNS = Variable(name="run", label="Run", query=f"label_values(<train_iteration>{{{IN}}}, run)")


def board(measured: Measured) -> Board:
    """Return the dashboard: metrics of the run, and metrics of the GPUs of the job."""
    return Board(
        board="training",
        title="Training job",
        description="Progress and speed of a training job, and its slowest nodes.",
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
        _stat("Step", "Last training step of the run.", f"max by (run) (<train_iteration>{{{RUN}}})"),
        _stat(
            "Steps in 15 minutes",
            "Number of steps in the last 15 minutes. If it is 0, the run does not progress.",
            f"max by (run) (delta(<train_iteration>{{{RUN}}}[15m]))",
            steps=((None, "red"), (1, "green")),
        ),
        _stat("Last loss", "Loss of the last step.", f"avg by (run) (<train_loss>{{{RUN}}})"),
        _stat(
            "Time since the last checkpoint",
            "Work that would be lost if a node failed now.",
            f"time() - max by (run) (<train_checkpoint_time>{{{RUN}}})",
            "s",
            late,
        ),
        width=6,
        height=5,
    )


_PACE = row(
    "Speed",
    lines(
        "Tokens per second",
        "Tokens by run, and the mean of the last hour. A drop means a straggler, a fallback to TCP, or slow storage.",
        (f"sum by (run) ({rate('train_tokens', RUN)})", "{{run}}"),
        (f"sum by (run) (rate(<train_tokens>{{{RUN}}}[1h]))", "{{run}} one-hour mean"),
    ),
    lines(
        "Duration of a step",
        "Slowest and fastest rank that reports step times.",
        (f"max by (run) (<train_step_seconds>{{{RUN}}})", "{{run}} slowest"),
        (f"min by (run) (<train_step_seconds>{{{RUN}}})", "{{run}} fastest"),
        unit="s",
    ),
    lines(
        "Loss",
        "Loss by run. A gap means that the loss is not a number.",
        (f"avg by (run) (<train_loss>{{{RUN}}})", "{{run}}"),
        smallest=None,
        unit="none",
    ),
    lines(
        "Slowest nodes of the runs",
        "Duration of a step on each node.",
        (f"topk(10, max by (run, node) (<train_step_seconds>{{{RUN}}}))", "{{run}} {{node}}"),
        unit="s",
    ),
)


def _hardware(measured: Measured) -> Row:
    label = job_label(measured)
    mine = f'{IN},{label}!="",{label}=~"$job"'
    return row(
        "GPUs of the job",
        stat("GPUs", "Number of GPUs of the job.", f"count(<gpu_utilization>{{{mine}}})", width=4),
        lines(
            "GPU utilization, by node",
            "Mean of the GPUs of a node.",
            (f"avg by (node) (<gpu_utilization>{{{mine}}})", "{{node}}"),
            unit="percent",
            largest=100,
            width=10,
        ),
        lines(
            "Tensor cores, by node",
            "Mean tensor core activity of the GPUs of a node. It is the best measure of how well the job uses the GPUs.",
            (f"avg by (node) (<tensor_active>{{{mine}}})", "{{node}}"),
            unit="percentunit",
            largest=1,
            width=10,
        ),
        lines(
            "Slowest clocks of the job",
            "GPUs with the lowest clocks. One slow GPU slows down the whole job.",
            (f"bottomk(5, min by (node, gpu) (<gpu_sm_clock>{{{mine}}}))", "{{node}} GPU {{gpu}}"),
            smallest=None,
            unit="rotmhz",
        ),
        lines(
            "GPU memory",
            "Highest memory usage of a GPU on each node.",
            (
                f"max by (node) (<gpu_memory_used>{{{mine}}} / (<gpu_memory_used>{{{mine}}} "
                f"+ <gpu_memory_free>{{{mine}}}))",
                "{{node}}",
            ),
            unit="percentunit",
            largest=1,
        ),
    )
