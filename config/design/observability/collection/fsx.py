"""FSx for Lustre's metrics from CloudWatch: what the exporter asks for, and what it may ask.

The exporter (YACE) asks by namespace: by tags it would see only file systems that have some. Its series have
one value for each period.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from config.catalog.observability.metrics import Metric, metrics

FILE_SYSTEM = "dimension_FileSystemId"
"""Label that names the file system."""

PERIOD_S = 60
"""FSx's own period (https://docs.aws.amazon.com/fsx/latest/LustreGuide/fs-metrics.html)."""

ASKED_EVERY_S = 300
"""Each question for a metric is billed; fullness and queues do not change within minutes."""

_LENGTH_S = 600
_PREFIX = "dimension_"

# without it the exporter only warns that the account has no name
STATEMENTS: tuple[Mapping[str, Any], ...] = (
    {
        "Effect": "Allow",
        "Action": ["cloudwatch:GetMetricData", "cloudwatch:ListMetrics"],
        "Resource": "*",
    },
)
"""What the exporter may do: neither action knows resources
(https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoncloudwatch.html)."""


def exporter_config(region: str) -> dict[str, Any]:
    """The exporter's configuration: one job for each set of dimensions, whose metrics have exactly those."""
    jobs: dict[tuple[str, ...], list[Metric]] = {}
    for row in metrics().of("fsx"):
        jobs.setdefault(dimensions_of(row), []).append(row)
    return {
        "apiVersion": "v1alpha1",
        "sts-region": region,
        "customNamespace": [_job(region, names, rows) for names, rows in sorted(jobs.items())],
    }


def dimensions_of(row: Metric) -> tuple[str, ...]:
    """The dimensions that CloudWatch has the metric under."""
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
    """How the exporter is started; by itself it listens on the loopback alone."""
    return [
        f"--config.file={config_file}",
        f"--listen-address={address}",
        f"--scraping-interval={ASKED_EVERY_S}",
    ]


def own_file_systems(ids: Iterable[str]) -> dict[str, Any]:
    """The rule of relabelling that keeps a cluster's own file systems of all in the Region."""
    return {"source_labels": [FILE_SYSTEM], "regex": "|".join(ids), "action": "keep"}
