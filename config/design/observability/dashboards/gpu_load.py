"""How hot and how busy the GPUs of a cluster are, and whether what is shown can be trusted."""

from __future__ import annotations

from config.design.observability.dashboards.ask import (
    AT,
    TO_NODE,
    TO_NODE_OF_SERIES,
    silent,
)
from config.design.observability.dashboards.parts import Panel, Query, Row
from config.design.observability.model import Measured


def heat_row() -> Row:
    """How hot the GPUs are, what they draw, and whether that slows them down."""
    return Row(
        title="Temperature and power",
        panels=(
            Panel(
                kind="heatmap",
                title="Temperatures of all GPUs",
                description="How many GPUs are how hot: one that leaves the others is seen at once.",
                queries=(
                    Query(
                        expression=f"max by (node, gpu) (<gpu_temperature>{{{AT}}})",
                        legend="{{node}} GPU {{gpu}}",
                    ),
                ),
                unit="celsius",
            ),
            Panel(
                kind="bargauge",
                title="Hottest GPUs",
                description="The ten hottest GPUs.",
                queries=(
                    Query(
                        expression=f"topk(10, max by (node, gpu) (<gpu_temperature>{{{AT}}}))",
                        legend="{{node}} GPU {{gpu}}",
                    ),
                ),
                now=True,
                unit="celsius",
                smallest=20,
                largest=100,
                steps=((None, "green"), (80, "orange"), (88, "red")),
                links=(TO_NODE_OF_SERIES,),
            ),
            Panel(
                kind="timeseries",
                title="Time spent slowed down, by node",
                description="The share of time in which clocks are held down, by heat and by power: the slowest "
                "GPU sets the pace of a whole job.",
                queries=(
                    Query(
                        expression=f"max by (node) (rate(<thermal_violation>{{{AT}}}[$__rate_interval])) / 1e9",
                        legend="{{node}} heat",
                    ),
                    Query(
                        expression=f"max by (node) (rate(<power_violation>{{{AT}}}[$__rate_interval])) / 1e9",
                        legend="{{node}} power",
                    ),
                ),
                unit="percentunit",
                smallest=0,
                links=(TO_NODE_OF_SERIES,),
            ),
            Panel(
                kind="timeseries",
                title="Power of all GPUs, by instance type",
                description="What the GPUs draw: a fall of the whole sum is a job that stopped.",
                queries=(
                    Query(
                        expression=f"sum by (instance_type) (<gpu_power>{{{AT}}})", legend="{{instance_type}}"
                    ),
                ),
                unit="watt",
                smallest=0,
                stacked=True,
            ),
        ),
    )


def use_row() -> Row:
    """How busy they are."""
    return Row(
        title="Use",
        panels=(
            Panel(
                kind="heatmap",
                title="How busy all GPUs are",
                description="How many GPUs are how busy, by the share of time in which something runs on them.",
                queries=(
                    Query(
                        expression=f"max by (node, gpu) (<gpu_utilization>{{{AT}}})",
                        legend="{{node}} GPU {{gpu}}",
                    ),
                ),
                unit="percent",
                colour="Greens",
            ),
            Panel(
                kind="timeseries",
                title="How busy tensor cores are, by node",
                description="The mean over a node's GPUs. A busy GPU whose tensor cores are not waits for data "
                "or for other nodes.",
                queries=(Query(expression=f"avg by (node) (<tensor_active>{{{AT}}})", legend="{{node}}"),),
                unit="percentunit",
                smallest=0,
                largest=1,
                links=(TO_NODE_OF_SERIES,),
            ),
        ),
    )


def trust_row(measured: Measured) -> Row:
    """What is not measured."""
    return Row(
        title="Can this be trusted",
        panels=(
            Panel(
                kind="table",
                title="Exporters that do not answer",
                description="What is not measured now: no bad news from these is no good news.",
                queries=(Query(expression=f"count by (node, job) ({silent(measured)})"),),
                columns={"node": "Node", "job": "Exporter"},
                values=("Exporters",),
                links=(TO_NODE,),
            ),
            Panel(
                kind="timeseries",
                title="Samples that Amazon Managed Prometheus dropped",
                description="Samples that the workspace refused: too many series, too late, or malformed.",
                queries=(
                    Query(
                        expression="SEARCH('Namespace=\"AWS/Prometheus\" MetricName=\"DiscardedSamples\"', 'Sum', 300)",
                        legend="${PROP('Dim.Workspace')}",
                    ),
                ),
                source="cloudwatch",
                smallest=0,
            ),
        ),
    )
