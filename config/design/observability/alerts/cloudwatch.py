"""CloudWatch alarms for file systems whose metrics no node collects, and for samples that AMP discards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from config.catalog.observability.metrics import Metric, metrics
from config.design.observability.alerts import catalogue
from config.design.observability.alerts.model import Alert
from config.design.observability.alerts.plan import LeftOut, runbook_of, threshold_of
from config.design.observability.model import Measured, Severity
from config.design.observability.names import keys_of
from config.profile.observability.alerts import Alerts

DISCARDED = "AmpDiscardedSamples"
_PERIOD_S = 300
_DIMENSION = "dimension_"


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudWatchAlarm:
    """A CloudWatch alarm that fires if `query` exceeds `threshold` in each of `periods` periods of `period_s`."""

    name: str
    query: str
    threshold: float
    periods: int
    severity: Severity
    description: str
    period_s: int = _PERIOD_S


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudWatchPlan:
    """CloudWatch alarms of a cluster, and the alerts that CloudWatch cannot express."""

    alarms: tuple[CloudWatchAlarm, ...]
    left_out: tuple[LeftOut, ...]


def plan_cloudwatch(
    measured: Measured, wanted: Alerts, file_systems: Mapping[str, str], *, managed: bool
) -> CloudWatchPlan:
    """Return the CloudWatch alarms of a cluster.

    `file_systems` maps names in the profile to ids of FSx for Lustre file systems, which may be known only at
    deployment. It is empty if Prometheus has the metrics. `managed`: metrics are stored in AMP.
    """
    alarms: list[CloudWatchAlarm] = []
    left_out = []
    for alert in catalogue():
        keys = [keys_of(expression.text) for expression in alert.expressions]
        if not all(named and set(named) <= _fsx().keys() for named in keys) or alert.name in wanted.off:
            continue
        if any("=~" in expression.text for expression in alert.expressions):
            left_out.append(LeftOut(name=alert.name, reason="CloudWatch queries do not support patterns"))
            continue
        for name, identifier in sorted(file_systems.items()):
            alarms.extend(_alarms(alert, keys, measured, wanted, name, identifier))
    if managed and DISCARDED not in wanted.off:
        alarms.append(_discarded(wanted))
    return CloudWatchPlan(alarms=tuple(alarms), left_out=tuple(left_out))


def _alarms(
    alert: Alert,
    keys: Sequence[tuple[str, ...]],
    measured: Measured,
    wanted: Alerts,
    name: str,
    identifier: str,
) -> Iterator[CloudWatchAlarm]:
    threshold = threshold_of(alert, measured, wanted)
    assert threshold is not None, f"{alert.name} has no threshold"
    for (key,) in keys:
        row = _fsx()[key]
        metric, _, statistic = row.field.partition(":")
        dimensions = [label.removeprefix(_DIMENSION) for label in row.labels if label.startswith(_DIMENSION)]
        yield CloudWatchAlarm(
            name=f"{alert.name}-{name}" + (f"-{metric}" if len(keys) > 1 else ""),
            query=_query(metric, statistic or "Maximum", dimensions, identifier),
            threshold=threshold,
            periods=max(1, alert.for_s // _PERIOD_S),
            severity=alert.severity,
            description=f"{name}: {alert.meaning} Recommended action: {alert.remedy} {runbook_of(alert.name, wanted)}",
        )


def _query(metric: str, statistic: str, dimensions: Sequence[str], file_system: str) -> str:
    """Return the Metrics Insights query of an alarm; the query has one series.

    The series has the worst value over all other dimensions of the file system, and includes storage targets
    that are added later
    (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch-metrics-insights-alarms.html).
    """
    function = {"Maximum": "MAX", "Minimum": "MIN", "Sum": "SUM"}[statistic]
    names = ", ".join(["FileSystemId", *(one for one in dimensions if one != "FileSystemId")])
    source = f'SCHEMA("AWS/FSx", {names})'
    return f"SELECT {function}({metric}) FROM {source} WHERE FileSystemId = '{file_system}'"


def _fsx() -> dict[str, Metric]:
    return {row.key: row for row in metrics().rows if row.exporter == "fsx"}


def _discarded(wanted: Alerts) -> CloudWatchAlarm:
    """Return the alarm for discarded samples, which only CloudWatch shows; each stack queries its own workspace."""
    return CloudWatchAlarm(
        name=DISCARDED,
        query='SELECT SUM(DiscardedSamples) FROM "AWS/Prometheus"',
        threshold=wanted.thresholds.get(DISCARDED, 0),
        periods=3,
        severity="warning",
        description="AMP discards samples that are out of order, too old, or over a quota of the workspace. "
        f"These samples are missing in dashboards and alerts. {runbook_of(DISCARDED, wanted)}",
    )
