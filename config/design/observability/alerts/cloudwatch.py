"""Alarms of CloudWatch: storage where no node asks CloudWatch for Prometheus, and what AMP throws away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

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
    """An alarm: over `threshold` in every one of `periods`, each of `period_s`.

    `dimensions` are those that the metric has beside those of `where`; the worst of them counts, so `query`
    is one of Metrics Insights, which finds storage targets that came later too
    (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch-metrics-insights-alarms.html).
    """

    name: str
    namespace: str
    metric: str
    statistic: str
    where: Mapping[str, str] = field(hash=False)
    dimensions: tuple[str, ...]
    threshold: float
    periods: int
    severity: Severity
    description: str
    period_s: int = _PERIOD_S

    @property
    def query(self) -> str:
        """The query of Metrics Insights whose one series the alarm goes by."""
        names = (*self.where, *self.dimensions)
        schema = ", ".join([f'"{self.namespace}"', *names])
        source = f"SCHEMA({schema})" if names else f'"{self.namespace}"'
        matched = " AND ".join(f"{name} = '{value}'" for name, value in self.where.items())
        return f"SELECT {self.statistic.upper()}({self.metric}) FROM {source}" + (
            f" WHERE {matched}" if matched else ""
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudWatchPlan:
    """The alarms of a cluster, and the alerts that CloudWatch cannot express."""

    alarms: tuple[CloudWatchAlarm, ...]
    left_out: tuple[LeftOut, ...]


def plan_cloudwatch(
    measured: Measured, wanted: Alerts, file_systems: Mapping[str, str], *, managed: bool
) -> CloudWatchPlan:
    """The alarms of a cluster.

    `file_systems`: ids of file systems of FSx for Lustre by our names for them, known perhaps only when the
    stack is deployed; none where Prometheus has their metrics. `managed`: metrics are kept in AMP.
    """
    alarms: list[CloudWatchAlarm] = []
    left_out = []
    for alert in catalogue():
        keys = [keys_of(expression.text) for expression in alert.expressions]
        if not all(named and set(named) <= _fsx().keys() for named in keys) or alert.name in wanted.off:
            continue
        if any("=~" in expression.text for expression in alert.expressions):
            left_out.append(LeftOut(name=alert.name, reason="a query of CloudWatch matches no patterns"))
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
            namespace="AWS/FSx",
            metric=metric,
            statistic={"Maximum": "max", "Minimum": "min", "Sum": "sum"}[statistic or "Maximum"],
            where={"FileSystemId": identifier},
            dimensions=tuple(one for one in dimensions if one != "FileSystemId"),
            threshold=threshold,
            periods=max(1, alert.for_s // _PERIOD_S),
            severity=alert.severity,
            description=f"{name}: {alert.meaning} What to do: {alert.cure} {runbook_of(alert.name, wanted)}",
        )


def _fsx() -> dict[str, Metric]:
    return {row.key: row for row in metrics().rows if row.exporter == "fsx"}


def _discarded(wanted: Alerts) -> CloudWatchAlarm:
    """AMP tells nobody else of samples that it does not take; a stack asks for those of its own workspace."""
    return CloudWatchAlarm(
        name=DISCARDED,
        namespace="AWS/Prometheus",
        metric="DiscardedSamples",
        statistic="sum",
        where={},
        dimensions=(),
        threshold=wanted.thresholds.get(DISCARDED, 0),
        periods=3,
        severity="warning",
        description="AMP throws samples away: out of order, too old, or over a limit of the workspace. "
        f"Panels and alerts miss them. {runbook_of(DISCARDED, wanted)}",
    )
