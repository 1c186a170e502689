"""Lustre and S3: how full, how busy, how far behind."""

from __future__ import annotations

from config.design.observability.collection.fsx import PERIOD_S
from config.design.observability.dashboards.ask import (
    AT,
    CLUSTER,
    IN,
    NODES,
    TO_NODE,
)
from config.design.observability.dashboards.parts import Board, Panel, Query, Row, Steps
from config.design.observability.model import Measured

_FULL: Steps = ((None, "green"), (80, "orange"), (90, "red"))


def board(measured: Measured) -> Board:
    """The dashboard. Without an exporter of FSx's metrics Grafana asks CloudWatch itself."""
    by_exporter = "fsx" in measured.exporters
    return Board(
        board="storage",
        title="Lustre and S3",
        description="Whether storage holds jobs up: the fullest target, the busiest server, the export queue.",
        variables=(CLUSTER, NODES),
        rows=(*((_space(), _load()) if by_exporter else (_cloudwatch(),)), _nodes(), _buckets()),
        refresh="1m",
        since="now-12h",
        without_metrics=True,
    )


def _space() -> Row:
    target = "{{dimension_FileSystemId}} {{dimension_StorageTargetId}}"
    by = "dimension_FileSystemId, dimension_StorageTargetId"
    return Row(
        title="Space",
        panels=(
            Panel(
                kind="bargauge",
                title="Fullest targets",
                description="One full target fails writes with `no space left` while the total has room.",
                queries=(
                    Query(
                        expression=f"topk(10, max by ({by}) (<lustre_target_used>{{{IN}}}))", legend=target
                    ),
                ),
                now=True,
                unit="percent",
                smallest=0,
                largest=100,
                steps=_FULL,
                width=8,
            ),
            Panel(
                kind="timeseries",
                title="Use of the fullest target",
                description="By file system, and where a week's growth leads in a day.",
                queries=(
                    Query(
                        expression=f"max by (dimension_FileSystemId) (<lustre_target_used>{{{IN}}})",
                        legend="{{dimension_FileSystemId}}",
                    ),
                ),
                unit="percent",
                smallest=0,
                largest=100,
                steps=_FULL,
                width=8,
            ),
            Panel(
                kind="timeseries",
                title="Free space of the fullest target",
                description="What can still be written to it.",
                queries=(
                    Query(
                        expression=f"min by (dimension_FileSystemId) (<lustre_target_free>{{{IN}}})",
                        legend="{{dimension_FileSystemId}}",
                    ),
                ),
                unit="bytes",
                smallest=0,
                width=8,
            ),
        ),
    )


def _load() -> Row:
    system = "{{dimension_FileSystemId}}"
    server = "{{dimension_FileSystemId}} {{dimension_FileServer}}"
    by_server = "dimension_FileSystemId, dimension_FileServer"
    return Row(
        title="Load",
        panels=(
            Panel(
                kind="timeseries",
                title="Throughput",
                description="What clients read and write.",
                queries=(
                    Query(
                        expression=f"sum by (dimension_FileSystemId) (<lustre_read>{{{IN}}}) / {PERIOD_S}",
                        legend=f"{system} read",
                    ),
                    Query(
                        expression=f"sum by (dimension_FileSystemId) (<lustre_written>{{{IN}}}) / {PERIOD_S}",
                        legend=f"{system} written",
                    ),
                ),
                unit="Bps",
                smallest=0,
            ),
            Panel(
                kind="timeseries",
                title="Busiest servers",
                description="How much of their network, disks and processors they use.",
                queries=tuple(
                    Query(
                        expression=f"topk(3, max by ({by_server}) (<{key}>{{{IN}}}))",
                        legend=f"{server} {name}",
                    )
                    for key, name in (
                        ("lustre_network_used", "network"),
                        ("lustre_disk_used", "disks"),
                        ("lustre_server_cpu", "processors"),
                    )
                ),
                unit="percent",
                smallest=0,
                steps=((None, "green"), (90, "red")),
            ),
            Panel(
                kind="timeseries",
                title="Operations on metadata",
                description="Opens, stats and listings: many small files wait here.",
                queries=(
                    Query(
                        expression="sum by (dimension_FileSystemId) "
                        f"(<lustre_metadata_operations>{{{IN}}}) / {PERIOD_S}",
                        legend=system,
                    ),
                ),
                unit="ops",
                smallest=0,
                width=8,
            ),
            Panel(
                kind="timeseries",
                title="Clients",
                description="Nodes that have the file system mounted.",
                queries=(
                    Query(
                        expression=f"max by (dimension_FileSystemId) (<lustre_clients>{{{IN}}})",
                        legend=system,
                    ),
                ),
                smallest=0,
                width=8,
            ),
            Panel(
                kind="timeseries",
                title="Oldest change that waits for S3",
                description="How far export and import are behind. Delete no file system before it is 0.",
                queries=(
                    Query(
                        expression="max by (dimension_FileSystemId, dimension_Publisher) "
                        f"(<lustre_queue_age>{{{IN}}})",
                        legend=f"{system} {{{{dimension_Publisher}}}}",
                    ),
                ),
                unit="s",
                smallest=0,
                width=8,
            ),
        ),
    )


def _searched(title: str, description: str, unit: str, *searches: tuple[str, str, str, str]) -> Panel:
    """Series of CloudWatch by their dimensions, whichever file systems and buckets the account has.

    Source of the syntax:
    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/search-expression-syntax.html
    """
    return Panel(
        kind="timeseries",
        title=title,
        description=description,
        source="cloudwatch",
        queries=tuple(
            Query(
                expression=f"SEARCH('{{{dimensions}}} MetricName=\"{metric}\"', '{statistic}', {period})",
                legend=metric,
            )
            for dimensions, metric, statistic, period in searches
        ),
        unit=unit,
        smallest=0,
    )


def _cloudwatch() -> Row:
    target = "AWS/FSx,FileSystemId,StorageTargetId"
    server = "AWS/FSx,FileServer,FileSystemId"
    return Row(
        title="Lustre, asked of CloudWatch",
        panels=(
            _searched(
                "Use of targets",
                "One full target fails writes with `no space left` while the total has room.",
                "percent",
                (target, "StorageCapacityUtilization", "Maximum", "300"),
            ),
            _searched(
                "Busiest servers",
                "How much of their network and disks they use.",
                "percent",
                (server, "NetworkThroughputUtilization", "Maximum", "300"),
                (server, "FileServerDiskThroughputUtilization", "Maximum", "300"),
            ),
            _searched(
                "Data in five minutes",
                "What clients read and write.",
                "bytes",
                ("AWS/FSx,FileSystemId", "DataReadBytes", "Sum", "300"),
                ("AWS/FSx,FileSystemId", "DataWriteBytes", "Sum", "300"),
            ),
            _searched(
                "Oldest change that waits for S3",
                "How far export and import are behind. Delete no file system before it is 0.",
                "s",
                ("AWS/FSx,FileSystemId,Publisher", "AgeOfOldestQueuedMessage", "Maximum", "300"),
            ),
        ),
    )


def _nodes() -> Row:
    return Row(
        title="As the nodes see it",
        panels=(
            Panel(
                kind="table",
                title="Nodes on which Lustre does not answer",
                description="File systems that a node's own check found hanging or gone.",
                queries=(
                    Query(expression=f"max by (node, file_system, state) (<lustre_healthy>{{{AT}}}) < 1"),
                ),
                columns={"node": "Node", "file_system": "File system", "state": "State"},
                values=("Answers",),
                mappings={"0": "no", "-1": "unknown"},
                links=(TO_NODE,),
            ),
            Panel(
                kind="table",
                title="Nodes whose Lustre lacks EFA interfaces",
                description="The client falls back to fewer interfaces, or to TCP, without a word.",
                queries=(
                    Query(
                        expression=f'max by (node) (<lustre_efa_interfaces>{{{AT},kind="wanted"}}) - '
                        f'max by (node) (<lustre_efa_interfaces>{{{AT},kind="attached"}}) > 0'
                    ),
                ),
                columns={"node": "Node"},
                values=("Missing",),
                links=(TO_NODE,),
            ),
        ),
    )


def _buckets() -> Row:
    return Row(
        title="S3 (once a day)",
        panels=(
            _searched(
                "Size of buckets",
                "What data and checkpoints take.",
                "bytes",
                ("AWS/S3,BucketName,StorageType", "BucketSizeBytes", "Average", "86400"),
            ),
            _searched(
                "Objects in buckets",
                "How many there are.",
                "short",
                ("AWS/S3,BucketName,StorageType", "NumberOfObjects", "Average", "86400"),
            ),
        ),
    )
