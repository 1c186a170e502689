"""How hot and how busy the GPUs of a cluster are, and whether what is shown can be trusted."""

from __future__ import annotations

from config.design.observability.dashboards.ask import AT, rate, silent
from config.design.observability.dashboards.parts import Row, bars, heatmap, lines, row, table
from config.design.observability.model import Measured

HEAT_ROW = row(
    "Temperature and power",
    heatmap(
        "Temperatures of all GPUs",
        "How many GPUs are how hot: one that leaves the others is seen at once.",
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
        "Time spent slowed down, by node",
        "The share of time in which clocks are held down, by heat and by power: the slowest "
        "GPU sets the pace of a whole job.",
        (f"max by (node) ({rate('thermal_violation')}) / 1e9", "{{node}} heat"),
        (f"max by (node) ({rate('power_violation')}) / 1e9", "{{node}} power"),
        unit="percentunit",
    ),
    lines(
        "Power of all GPUs, by instance type",
        "What the GPUs draw: a fall of the whole sum is a job that stopped.",
        (f"sum by (instance_type) (<gpu_power>{{{AT}}})", "{{instance_type}}"),
        unit="watt",
        stacked=True,
    ),
)
"""How hot the GPUs are, what they draw, and whether that slows them down."""

USE_ROW = row(
    "Use",
    heatmap(
        "How busy all GPUs are",
        "How many GPUs are how busy, by the share of time in which something runs on them.",
        (f"max by (node, gpu) (<gpu_utilization>{{{AT}}})", "{{node}} GPU {{gpu}}"),
        unit="percent",
        colour="Greens",
    ),
    lines(
        "How busy tensor cores are, by node",
        "The mean over a node's GPUs. A busy GPU whose tensor cores are not waits for data "
        "or for other nodes.",
        (f"avg by (node) (<tensor_active>{{{AT}}})", "{{node}}"),
        unit="percentunit",
        largest=1,
    ),
)
"""How busy they are."""


def trust_row(measured: Measured) -> Row:
    """What is not measured."""
    return row(
        "Can this be trusted",
        table(
            "Exporters that do not answer",
            "What is not measured now: no bad news from these is no good news.",
            (f"count by (node, job) ({silent(measured)})", "Exporters"),
            columns=("node", "job"),
        ),
        lines(
            "Samples that Amazon Managed Prometheus dropped",
            "Samples that the workspace refused: too many series, too late, or malformed.",
            (
                "SEARCH('Namespace=\"AWS/Prometheus\" MetricName=\"DiscardedSamples\"', 'Sum', 300)",
                "${PROP('Dim.Workspace')}",
            ),
            source="cloudwatch",
        ),
    )
