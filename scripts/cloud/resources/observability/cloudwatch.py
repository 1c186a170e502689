"""Alarms and dashboards, over CloudWatch."""

# ruff: noqa: D102 - create, update, delete and read are described by Model

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from scripts.cloud.resources.base import (
    Context,
    Created,
    Existing,
    Model,
    Properties,
    document_of,
    found,
    known,
    only,
)
from scripts.cloud.template.errors import ResourceFailedError

_ACTIONS = ("ActionsEnabled", "AlarmActions", "AlarmDescription", "InsufficientDataActions", "OKActions")


class _Alarm(Model):
    """What the two kinds of alarm share."""

    kind: ClassVar[str]
    names: ClassVar[tuple[str, ...]]

    def create(self, context: Context, properties: Properties) -> Created:
        name = properties.get("AlarmName") or context.generated_name(255)
        if self._told(context, name):  # CloudWatch itself would change the alarm that is there
            raise ResourceFailedError(f"{name} already exists")
        self._put(context, name, properties, **context.tagged(properties))
        arn = f"arn:aws:cloudwatch:{context.region}:{context.account_id}:alarm:{name}"
        return Created(name, {"Arn": arn})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        self._put(context, existing.physical_id, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("cloudwatch").delete_alarms(AlarmNames=[existing.physical_id])

    def read(self, context: Context, existing: Existing) -> Properties | None:
        told = self._told(context, existing.physical_id)
        return known(**only(told, *self.names)) if told else None

    def _told(self, context: Context, name: str) -> dict[str, Any] | None:
        ask = context.client("cloudwatch").describe_alarms
        answer = ask(AlarmNames=[name], AlarmTypes=["MetricAlarm", "CompositeAlarm"])
        return next((alarm for alarm in answer[f"{self.kind}s"] if alarm["AlarmName"] == name), None)

    @abstractmethod
    def _put(self, context: Context, name: str, properties: Properties, **more: Any) -> None:
        """Create or change the alarm."""


class Alarm(_Alarm):
    """An alarm on a metric or on metric mathematics."""

    type = "AWS::CloudWatch::Alarm"
    kind = "MetricAlarm"
    names = (
        *_ACTIONS,
        "ComparisonOperator",
        "DatapointsToAlarm",
        "Dimensions",
        "EvaluateLowSampleCountPercentile",
        "EvaluationPeriods",
        "ExtendedStatistic",
        "MetricName",
        "Metrics",
        "Namespace",
        "Period",
        "Statistic",
        "Threshold",
        "ThresholdMetricId",
        "TreatMissingData",
        "Unit",
    )

    def _put(self, context: Context, name: str, properties: Properties, **more: Any) -> None:
        request = only(properties, *self.names)
        context.client("cloudwatch").put_metric_alarm(AlarmName=name, **request, **more)


class CompositeAlarm(_Alarm):
    """An alarm on other alarms."""

    type = "AWS::CloudWatch::CompositeAlarm"
    kind = "CompositeAlarm"
    names = (
        *_ACTIONS,
        "AlarmRule",
        "ActionsSuppressor",
        "ActionsSuppressorExtensionPeriod",
        "ActionsSuppressorWaitPeriod",
    )

    def _put(self, context: Context, name: str, properties: Properties, **more: Any) -> None:
        request = only(properties, *self.names)
        context.client("cloudwatch").put_composite_alarm(AlarmName=name, **request, **more)


class Dashboard(Model):
    """A dashboard."""

    type = "AWS::CloudWatch::Dashboard"

    def create(self, context: Context, properties: Properties) -> Created:
        name = properties.get("DashboardName") or context.generated_name(255)
        if found(context.client("cloudwatch").get_dashboard, DashboardName=name):
            raise ResourceFailedError(f"{name} already exists")
        self._put(context, name, properties)
        return Created(name)

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        self._put(context, existing.physical_id, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("cloudwatch").delete_dashboards(DashboardNames=[existing.physical_id])

    def read(self, context: Context, existing: Existing) -> Properties | None:
        answer = found(context.client("cloudwatch").get_dashboard, DashboardName=existing.physical_id)
        return None if answer is None else {"DashboardBody": document_of(answer["DashboardBody"])}

    @staticmethod
    def _put(context: Context, name: str, properties: Properties) -> None:
        body = properties["DashboardBody"]
        context.client("cloudwatch").put_dashboard(DashboardName=name, DashboardBody=body)


MODELS = (Alarm(), CompositeAlarm(), Dashboard())
