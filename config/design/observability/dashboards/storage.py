"""Lustre and S3: how full, how busy, how far behind."""

from __future__ import annotations

from config.design.observability.collection.fsx import PERIOD_S
from config.design.observability.dashboards.ask import AT, CLUSTER, IN, NODES
from config.design.observability.dashboards.parts import Board, Panel, Row, Steps, bars, lines, row, table
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
        rows=(*((_space(), _load()) if by_exporter else (_cloudwatch(),)), _NODES, _BUCKETS),
        refresh="1m",
        since="now-12h",
        without_metrics=True,
    )


def _space() -> Row:
    target = "{{dimension_FileSystemId}} {{dimension_StorageTargetId}}"
    by = "dimension_FileSystemId, dimension_StorageTargetId"
    return row(
        "Space",
        bars(
            "Fullest targets",
            "One full target fails writes with `no space left` while the total has room.",
            (f"topk(10, max by ({by}) (<lustre_target_used>{{{IN}}}))", target),
            unit="percent",
            smallest=0,
            largest=100,
            steps=_FULL,
        ),
        lines(
            "Use of the fullest target",
            "By file system, and where a week's growth leads in a day.",
            (f"max by (dimension_FileSystemId) (<lustre_target_used>{{{IN}}})", "{{dimension_FileSystemId}}"),
            unit="percent",
            largest=100,
            steps=_FULL,
        ),
        lines(
            "Free space of the fullest target",
            "What can still be written to it.",
            (f"min by (dimension_FileSystemId) (<lustre_target_free>{{{IN}}})", "{{dimension_FileSystemId}}"),
            unit="bytes",
        ),
        width=8,
    )


def _load() -> Row:
    system = "{{dimension_FileSystemId}}"
    server = "{{dimension_FileSystemId}} {{dimension_FileServer}}"
    by_server = "dimension_FileSystemId, dimension_FileServer"
    return row(
        "Load",
        lines(
            "Throughput",
            "What clients read and write.",
            (f"sum by (dimension_FileSystemId) (<lustre_read>{{{IN}}}) / {PERIOD_S}", f"{system} read"),
            (f"sum by (dimension_FileSystemId) (<lustre_written>{{{IN}}}) / {PERIOD_S}", f"{system} written"),
            unit="Bps",
        ),
        lines(
            "Busiest servers",
            "How much of their network, disks and processors they use.",
            *(
                (f"topk(3, max by ({by_server}) (<{key}>{{{IN}}}))", f"{server} {name}")
                for key, name in (
                    ("lustre_network_used", "network"),
                    ("lustre_disk_used", "disks"),
                    ("lustre_server_cpu", "processors"),
                )
            ),
            unit="percent",
            steps=((None, "green"), (90, "red")),
        ),
        lines(
            "Operations on metadata",
            "Opens, stats and listings: many small files wait here.",
            (f"sum by (dimension_FileSystemId) (<lustre_metadata_operations>{{{IN}}}) / {PERIOD_S}", system),
            unit="ops",
            width=8,
        ),
        lines(
            "Clients",
            "Nodes that have the file system mounted.",
            (f"max by (dimension_FileSystemId) (<lustre_clients>{{{IN}}})", system),
            width=8,
        ),
        lines(
            "Oldest change that waits for S3",
            "How far export and import are behind. Delete no file system before it is 0.",
            (
                f"max by (dimension_FileSystemId, dimension_Publisher) (<lustre_queue_age>{{{IN}}})",
                f"{system} {{{{dimension_Publisher}}}}",
            ),
            unit="s",
            width=8,
        ),
    )


def _searched(title: str, description: str, unit: str, *searches: tuple[str, str, str, str]) -> Panel:
    """Series of CloudWatch by their dimensions, whichever file systems and buckets the account has.

    Source of the syntax:
    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/search-expression-syntax.html
    """
    return lines(
        title,
        description,
        *(
            (f"SEARCH('{{{dimensions}}} MetricName=\"{metric}\"', '{statistic}', {period})", metric)
            for dimensions, metric, statistic, period in searches
        ),
        source="cloudwatch",
        unit=unit,
    )


def _cloudwatch() -> Row:
    target = "AWS/FSx,FileSystemId,StorageTargetId"
    server = "AWS/FSx,FileServer,FileSystemId"
    return row(
        "Lustre, asked of CloudWatch",
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
    )


_NODES = row(
    "As the nodes see it",
    table(
        "Nodes on which Lustre does not answer",
        "File systems that a node's own check found hanging or gone.",
        (f"max by (node, file_system, state) (<lustre_healthy>{{{AT}}}) < 1", "Answers"),
        columns=("node", "file_system", "state"),
        mappings={"0": "no", "-1": "unknown"},
    ),
    table(
        "Nodes whose Lustre lacks EFA interfaces",
        "The client falls back to fewer interfaces, or to TCP, without a word.",
        (
            f'max by (node) (<lustre_efa_interfaces>{{{AT},kind="wanted"}}) - '
            f'max by (node) (<lustre_efa_interfaces>{{{AT},kind="attached"}}) > 0',
            "Missing",
        ),
        columns=("node",),
    ),
)

_BUCKETS = row(
    "S3 (once a day)",
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
)
