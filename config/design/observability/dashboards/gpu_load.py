"""Dashboard rows for temperature, power and utilization of GPUs, and for missing metrics."""

from __future__ import annotations

from config.design.observability.dashboards.parts import Row, bars, heatmap, lines, row, table
from config.design.observability.dashboards.promql import AT, rate, unresponsive
from config.design.observability.model import Measured

HEAT_ROW = row(
    "Temperature and power",
    heatmap(
        "Temperatures of all GPUs",
        "Number of GPUs by temperature. A GPU that differs from the others is visible at once.",
        (f"max by (node, gpu) (<gpu_temperature>{{{AT}}})", "{{node}} GPU {{gpu}}"),
        unit="celsius",
    ),
    bars(
        "Hottest GPUs",
        "The ten hottest GPUs.",
        (f"topk(10, max by (node, gpu) (<gpu_temperature>{{{AT}}}))", "{{node}} GPU {{gpu}}"),
        unit="celsius",
        smallest=20,
        largest=100,
        steps=((None, "green"), (80, "orange"), (88, "red")),
    ),
    lines(
        "Time with reduced clocks, by node",
        "Share of time in which heat or power limits reduce the clocks. The slowest GPU determines the speed of "
        "the whole job.",
        (f"max by (node) ({rate('thermal_violation')}) / 1e9", "{{node}} heat"),
        (f"max by (node) ({rate('power_violation')}) / 1e9", "{{node}} power"),
        unit="percentunit",
    ),
    lines(
        "Power of all GPUs, by instance type",
        "Power consumption of the GPUs. If the total drops, a job has stopped.",
        (f"sum by (instance_type) (<gpu_power>{{{AT}}})", "{{instance_type}}"),
        unit="watt",
        stacked=True,
    ),
)
"""Row for temperature, power and throttling of the GPUs."""

USE_ROW = row(
    "Usage",
    heatmap(
        "Utilization of all GPUs",
        "Number of GPUs by utilization: the share of time in which a kernel runs on the GPU.",
        (f"max by (node, gpu) (<gpu_utilization>{{{AT}}})", "{{node}} GPU {{gpu}}"),
        unit="percent",
        colour="Greens",
    ),
    lines(
        "Tensor core activity, by node",
        "Mean of the GPUs of a node. If a GPU is busy but its tensor cores are not, it waits for data or for "
        "other nodes.",
        (f"avg by (node) (<tensor_active>{{{AT}}})", "{{node}}"),
        unit="percentunit",
        largest=1,
    ),
)
"""Row for the utilization of the GPUs."""


def trust_row(measured: Measured) -> Row:
    """Return the row for missing metrics."""
    return row(
        "Missing metrics",
        table(
            "Exporters that do not respond",
            "The metrics of these exporters are missing, so that their faults are not visible.",
            (f"count by (node, job) ({unresponsive(measured)})", "Exporters"),
            columns=("node", "job"),
        ),
        lines(
            "Samples that AMP discarded",
            "Samples that the workspace rejected because of too many series, a late time, or a wrong format.",
            (
                "SEARCH('Namespace=\"AWS/Prometheus\" MetricName=\"DiscardedSamples\"', 'Sum', 300)",
                "${PROP('Dim.Workspace')}",
            ),
            source="cloudwatch",
        ),
    )
