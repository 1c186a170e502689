"""Alarms of CloudWatch, for what no Prometheus sees."""

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
    """When somebody is told.

    One of `metric_name` and `query` is given.

    Attributes:
        name: The alarm's name, unique in the account and Region.
        description: What is wrong and what to do, as the message says it.
        threshold: The figure that is compared with.
        comparison: Whether a value `above` or `below` it is wrong.
        period_s: Seconds of one value.
        periods: How many values in a row are wrong before the alarm is raised.
        action_arns: Topics that are told, when it is raised and when it is over.
        namespace: Of the metric.
        metric_name: The metric.
        dimensions: Which one of its series.
        statistic: What a value is of the samples in it.
        query: A query of Metrics Insights instead, whose single series is compared.
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
    """An alarm that tells topics when it is raised and when it is over; no samples are no alarm."""

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
    """The query for samples that a Prometheus workspace has thrown away, whatever the reason.

    The value of the dimension `Workspace` is a workspace's id.
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
