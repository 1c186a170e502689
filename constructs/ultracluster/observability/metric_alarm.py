"""CloudWatch alarms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from constructs import Construct

from ultracluster.cfn import Tagged, add_resource, tag_list
from ultracluster.retention import Retention

Comparison = Literal["above", "below"]
Statistic = Literal["Average", "Maximum", "Minimum", "Sum"]

_OPERATORS = {"above": "GreaterThanThreshold", "below": "LessThanThreshold"}


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricAlarmProps(Tagged):
    """Properties of a CloudWatch alarm.

    Set either `metric_name` or `query`.

    Attributes:
        name: Name of the alarm, unique in the account and Region.
        description: Description of the problem and the recommended action, which the notification contains.
        threshold: Threshold of the comparison.
        comparison: Whether the alarm fires for values `above` or `below` the threshold.
        period_s: Length of one period in seconds.
        periods: Number of consecutive periods that must breach the threshold.
        action_arns: ARNs of topics that are notified when the alarm starts and when it ends.
        namespace: Namespace of the metric.
        metric_name: Name of the metric.
        dimensions: Dimensions of the metric.
        statistic: Statistic of the samples in a period.
        query: Metrics Insights query that returns a single series; replaces `metric_name`.
    """

    name: str
    description: str
    threshold: float
    comparison: Comparison
    period_s: int
    periods: int
    action_arns: Sequence[str]
    namespace: str | None = None
    metric_name: str | None = None
    dimensions: Mapping[str, str] = field(default_factory=dict)
    statistic: Statistic = "Maximum"
    query: object = None


class MetricAlarm(Construct):
    """A CloudWatch alarm that notifies topics when it starts and ends; missing data does not trigger it."""

    def __init__(self, scope: Construct, construct_id: str, props: MetricAlarmProps) -> None:
        """Create the alarm."""
        super().__init__(scope, construct_id)
        add_resource(
            self,
            "Resource",
            "AWS::CloudWatch::Alarm",
            {
                "AlarmName": props.name,
                "AlarmDescription": props.description,
                "AlarmActions": list(props.action_arns),
                "OKActions": list(props.action_arns),
                "ComparisonOperator": _OPERATORS[props.comparison],
                "EvaluationPeriods": props.periods,
                "Threshold": props.threshold,
                "TreatMissingData": "notBreaching",
                "Tags": tag_list(props.tags),
                **(_query(props) if props.query is not None else _metric(props)),
            },
            retention=Retention.DISPOSABLE,
        )


def discarded_samples(workspace_id: str) -> object:
    """Return the query for the number of samples that an AMP workspace has discarded, for all reasons.

    The dimension `Workspace` is the id of the workspace.
    Source: https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-CW-usage-metrics.html
    """
    text = "SELECT SUM(DiscardedSamples) FROM \"AWS/Prometheus\" WHERE Workspace = '${Id}'"
    return {"Fn::Sub": [text, {"Id": workspace_id}]}


def _metric(props: MetricAlarmProps) -> dict[str, Any]:
    dimensions = [{"Name": name, "Value": props.dimensions[name]} for name in sorted(props.dimensions)]
    return {
        "Namespace": props.namespace,
        "MetricName": props.metric_name,
        "Dimensions": dimensions,
        "Period": props.period_s,
        "Statistic": props.statistic,
    }


def _query(props: MetricAlarmProps) -> dict[str, Any]:
    asked = {"Id": "asked", "Expression": props.query, "Period": props.period_s, "ReturnData": True}
    return {"Metrics": [asked]}
