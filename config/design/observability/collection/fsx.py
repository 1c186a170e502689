"""Configuration and permissions of the exporter of FSx for Lustre metrics from CloudWatch.

The exporter (YACE) discovers metrics by namespace, since discovery by tags finds only file systems with tags.
Each series has one value for each period.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from config.catalog.observability.metrics import Metric, metrics

FILE_SYSTEM = "dimension_FileSystemId"
"""Label that contains the id of the file system."""

PERIOD_S = 60
"""Period of FSx metrics (https://docs.aws.amazon.com/fsx/latest/LustreGuide/fs-metrics.html)."""

ASKED_EVERY_S = 300
"""Interval of the queries, which are billed for each metric; free space and queues change slowly."""

_LENGTH_S = 600
_PREFIX = "dimension_"

# without iam:ListAccountAliases the exporter only warns that the account has no name
STATEMENTS: tuple[Mapping[str, Any], ...] = (
    {
        "Effect": "Allow",
        "Action": ["cloudwatch:GetMetricData", "cloudwatch:ListMetrics"],
        "Resource": "*",
    },
)
"""Permissions of the exporter; neither action supports resource-level permissions
(https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoncloudwatch.html)."""


def exporter_config(region: str) -> dict[str, Any]:
    """Return the exporter's configuration, with one job for each set of dimensions."""
    jobs: dict[tuple[str, ...], list[Metric]] = {}
    for row in metrics().of("fsx"):
        jobs.setdefault(dimensions_of(row), []).append(row)
    return {
        "apiVersion": "v1alpha1",
        "sts-region": region,
        "customNamespace": [_job(region, names, rows) for names, rows in sorted(jobs.items())],
    }


def dimensions_of(row: Metric) -> tuple[str, ...]:
    """Return the CloudWatch dimensions of a metric."""
    return tuple(label.removeprefix(_PREFIX) for label in row.labels if label.startswith(_PREFIX))


def _job(region: str, dimensions: tuple[str, ...], rows: Iterable[Metric]) -> dict[str, Any]:
    return {
        "name": "fsx-" + "-".join(dimensions).lower(),
        "namespace": "AWS/FSx",
        "regions": [region],
        "dimensionNameRequirements": [*dimensions],
        "recentlyActiveOnly": True,
        "metrics": [_metric(*row.field.split(":")) for row in rows],
    }


def _metric(name: str, statistic: str) -> dict[str, Any]:
    return {"name": name, "statistics": [statistic], "period": PERIOD_S, "length": _LENGTH_S}


def arguments(config_file: str, address: str) -> list[str]:
    """Return the exporter's arguments; by default it listens only on the loopback interface."""
    return [
        f"--config.file={config_file}",
        f"--listen-address={address}",
        f"--scraping-interval={ASKED_EVERY_S}",
    ]


def own_file_systems(ids: Iterable[str]) -> dict[str, Any]:
    """Return the relabelling rule that keeps only the cluster's own file systems of the Region."""
    return {"source_labels": [FILE_SYSTEM], "regex": "|".join(ids), "action": "keep"}
