"""Dashboard of Lustre and S3: space, load and export delay."""

from __future__ import annotations

from config.design.observability.collection.fsx import PERIOD_S
from config.design.observability.dashboards.parts import Board, Panel, Row, Steps, bars, lines, row, table
from config.design.observability.dashboards.promql import AT, CLUSTER, IN, NODES
from config.design.observability.model import Measured

_FULL: Steps = ((None, "green"), (80, "orange"), (90, "red"))


def board(measured: Measured) -> Board:
    """Return the dashboard; without an exporter for FSx metrics, Grafana queries CloudWatch."""
    by_exporter = "fsx" in measured.exporters
    return Board(
        board="storage",
        title="Lustre and S3",
        description="Storage limits of jobs: the fullest target, the busiest server, and the export queue.",
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
            "Writes to a full target fail with `no space left`, even if other targets have free space.",
            (f"topk(10, max by ({by}) (<lustre_target_used>{{{IN}}}))", target),
            unit="percent",
            smallest=0,
            largest=100,
            steps=_FULL,
        ),
        lines(
            "Used space of the fullest target",
            "Fullest storage target of each file system.",
            (f"max by (dimension_FileSystemId) (<lustre_target_used>{{{IN}}})", "{{dimension_FileSystemId}}"),
            unit="percent",
            largest=100,
            steps=_FULL,
        ),
        lines(
            "Free space of the fullest target",
            "Free space of the fullest storage target of each file system.",
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
            "Data that clients read and write.",
            (f"sum by (dimension_FileSystemId) (<lustre_read>{{{IN}}}) / {PERIOD_S}", f"{system} read"),
            (f"sum by (dimension_FileSystemId) (<lustre_written>{{{IN}}}) / {PERIOD_S}", f"{system} written"),
            unit="Bps",
        ),
        lines(
            "Busiest servers",
            "Network, disk and CPU utilization of the busiest file servers.",
            *(
                (f"topk(3, max by ({by_server}) (<{key}>{{{IN}}}))", f"{server} {name}")
                for key, name in (
                    ("lustre_network_used", "network"),
                    ("lustre_disk_used", "disks"),
                    ("lustre_server_cpu", "CPU"),
                )
            ),
            unit="percent",
            steps=((None, "green"), (90, "red")),
        ),
        lines(
            "Metadata operations",
            "Opens, stats and listings. Jobs with many small files depend on this rate.",
            (f"sum by (dimension_FileSystemId) (<lustre_metadata_operations>{{{IN}}}) / {PERIOD_S}", system),
            unit="ops",
            width=8,
        ),
        lines(
            "Clients",
            "Nodes that mount the file system.",
            (f"max by (dimension_FileSystemId) (<lustre_clients>{{{IN}}})", system),
            width=8,
        ),
        lines(
            "Age of the oldest queued change",
            "Delay of export to S3 and import from S3. Do not delete a file system before it is 0.",
            (
                f"max by (dimension_FileSystemId, dimension_Publisher) (<lustre_queue_age>{{{IN}}})",
                f"{system} {{{{dimension_Publisher}}}}",
            ),
            unit="s",
            width=8,
        ),
    )


def _searched(title: str, description: str, unit: str, *searches: tuple[str, str, str, str]) -> Panel:
    """Return a panel of CloudWatch series by dimensions, for all file systems and buckets of the account.

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
        "Lustre (from CloudWatch)",
        _searched(
            "Used space of targets",
            "Writes to a full target fail with `no space left`, even if other targets have free space.",
            "percent",
            (target, "StorageCapacityUtilization", "Maximum", "300"),
        ),
        _searched(
            "Busiest servers",
            "Network and disk utilization of the file servers.",
            "percent",
            (server, "NetworkThroughputUtilization", "Maximum", "300"),
            (server, "FileServerDiskThroughputUtilization", "Maximum", "300"),
        ),
        _searched(
            "Data per five minutes",
            "Data that clients read and write.",
            "bytes",
            ("AWS/FSx,FileSystemId", "DataReadBytes", "Sum", "300"),
            ("AWS/FSx,FileSystemId", "DataWriteBytes", "Sum", "300"),
        ),
        _searched(
            "Age of the oldest queued change",
            "Delay of export to S3 and import from S3. Do not delete a file system before it is 0.",
            "s",
            ("AWS/FSx,FileSystemId,Publisher", "AgeOfOldestQueuedMessage", "Maximum", "300"),
        ),
    )


_NODES = row(
    "Lustre clients",
    table(
        "Nodes on which Lustre does not respond",
        "File systems that the check of the node found to hang or to be unavailable.",
        (f"max by (node, file_system, state) (<lustre_healthy>{{{AT}}}) < 1", "Responds"),
        columns=("node", "file_system", "state"),
        mappings={"0": "no", "-1": "unknown"},
    ),
    table(
        "Nodes with too few EFA interfaces for Lustre",
        "The Lustre client silently uses fewer interfaces, or TCP.",
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
        "Size of the data in each bucket, by storage class.",
        "bytes",
        ("AWS/S3,BucketName,StorageType", "BucketSizeBytes", "Average", "86400"),
    ),
    _searched(
        "Objects in buckets",
        "Number of objects in each bucket.",
        "short",
        ("AWS/S3,BucketName,StorageType", "NumberOfObjects", "Average", "86400"),
    ),
)
