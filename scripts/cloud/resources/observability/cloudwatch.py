"""CloudWatch alarms and dashboards."""

# ruff: noqa: D102 - Model and ApiModel describe the methods

from __future__ import annotations

from typing import Any

from scripts.cloud.resources.api import ApiModel
from scripts.cloud.resources.base import Context, Existing, Properties


class Alarm(ApiModel):
    """An alarm on a metric or on metric math."""

    type = "AWS::CloudWatch::Alarm"
    service, noun = "cloudwatch", "metric_alarm"
    creates = updates = "put_{}"
    deletes = "delete_alarms"
    named = ("AlarmName", "AlarmName", 255)
    key = ("AlarmName",)
    unique = True

    def attributes(self, context: Context, existing: Existing, made: Properties) -> dict[str, Any]:
        return {"Arn": context.arn("cloudwatch", f"alarm:{existing.physical_id}")}

    def described(self, context: Context, existing: Existing) -> dict[str, Any] | None:
        kind = self.noun.title().replace("_", "")
        names = {"AlarmNames": [existing.physical_id], "AlarmTypes": ["MetricAlarm", "CompositeAlarm"]}
        return next(iter(context.client("cloudwatch").describe_alarms(**names)[f"{kind}s"]), None)


class CompositeAlarm(Alarm):
    """An alarm on other alarms."""

    type = "AWS::CloudWatch::CompositeAlarm"
    noun = "composite_alarm"


class Dashboard(ApiModel):
    """A dashboard."""

    type = "AWS::CloudWatch::Dashboard"
    service, noun = "cloudwatch", "dashboard"
    creates = updates = "put_{}"
    reads = "get_{}"
    deletes = "delete_{}s"
    named = ("DashboardName", "DashboardName", 255)
    key = ("DashboardName",)
    unique = True
