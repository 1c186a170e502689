"""Log groups and what is made of their events, over CloudWatch Logs."""

# ruff: noqa: D102 - create, update, delete and read are described by Model

from __future__ import annotations

from typing import Any

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
    retag,
    text_of,
)
from scripts.cloud.resources.casing import camel, pascal


class LogGroup(Model):
    """A log group with its retention and key."""

    type = "AWS::Logs::LogGroup"

    def create(self, context: Context, properties: Properties) -> Created:
        logs = context.client("logs")
        name = properties.get("LogGroupName") or context.generated_name(512)
        request = camel(only(properties, "KmsKeyId", "LogGroupClass"))
        logs.create_log_group(logGroupName=name, tags=context.tags(properties), **request)
        context.claim(name)
        self._retention(logs, name, properties)
        return Created(name, {"Arn": f"{_arn(context, name)}:*"})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        logs, name = context.client("logs"), existing.physical_id
        self._retention(logs, name, properties)
        before, after = (p.get("KmsKeyId") for p in (existing.properties, properties))
        if after and after != before:
            logs.associate_kms_key(logGroupName=name, kmsKeyId=after)
        elif before and not after:
            logs.disassociate_kms_key(logGroupName=name)
        retag(context, logs, _arn(context, name), existing.properties, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("logs").delete_log_group(logGroupName=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        name = existing.physical_id
        groups = context.client("logs").describe_log_groups(logGroupNamePrefix=name)["logGroups"]
        group = next((group for group in groups if group["logGroupName"] == name), None)
        return None if group is None else known(**pascal(only(group, "retentionInDays", "kmsKeyId")))

    @staticmethod
    def _retention(logs: Any, name: str, properties: Properties) -> None:
        if "RetentionInDays" in properties:
            logs.put_retention_policy(logGroupName=name, retentionInDays=properties["RetentionInDays"])
        else:
            logs.delete_retention_policy(logGroupName=name)


def _arn(context: Context, name: str) -> str:
    return f"arn:aws:logs:{context.region}:{context.account_id}:log-group:{name}"


class MetricFilter(Model):
    """A metric that counts what a log group's events say."""

    type = "AWS::Logs::MetricFilter"

    def create(self, context: Context, properties: Properties) -> Created:
        name = properties.get("FilterName") or context.generated_name(512)
        self._put(context, name, properties)
        return Created(name)

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        self._put(context, existing.physical_id, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        group = existing.properties["LogGroupName"]
        context.client("logs").delete_metric_filter(logGroupName=group, filterName=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        name, group = existing.physical_id, existing.properties["LogGroupName"]
        filters = context.client("logs").describe_metric_filters(logGroupName=group, filterNamePrefix=name)
        for told in filters["metricFilters"]:
            if told["filterName"] == name:
                transformations = [_transformation(t) for t in told["metricTransformations"]]
                return {"FilterPattern": told["filterPattern"], "MetricTransformations": transformations}
        return None

    @staticmethod
    def _put(context: Context, name: str, properties: Properties) -> None:
        transformations = []
        for transformation in properties["MetricTransformations"]:
            request = camel(transformation)
            if "dimensions" in request:
                request["dimensions"] = {d["Key"]: d["Value"] for d in transformation["Dimensions"]}
            transformations.append(request)
        context.client("logs").put_metric_filter(
            logGroupName=properties["LogGroupName"],
            filterName=name,
            filterPattern=properties["FilterPattern"],
            metricTransformations=transformations,
        )


def _transformation(told: Properties) -> dict[str, Any]:
    dimensions = told.get("dimensions", {})
    listed = [{"Key": key, "Value": value} for key, value in sorted(dimensions.items())]
    rest = {key: value for key, value in told.items() if key != "dimensions"}
    return known(**pascal(rest), Dimensions=listed)


class SubscriptionFilter(Model):
    """A stream of a log group's events to a function, a stream or a destination."""

    type = "AWS::Logs::SubscriptionFilter"
    _NAMES = ("LogGroupName", "FilterPattern", "DestinationArn", "RoleArn", "Distribution")

    def create(self, context: Context, properties: Properties) -> Created:
        name = properties.get("FilterName") or context.generated_name(512)
        self._put(context, name, properties)
        return Created(name)

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        self._put(context, existing.physical_id, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        group = existing.properties["LogGroupName"]
        context.client("logs").delete_subscription_filter(logGroupName=group, filterName=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        logs, group = context.client("logs"), existing.properties["LogGroupName"]
        answer = found(logs.describe_subscription_filters, logGroupName=group) or {}
        for told in answer.get("subscriptionFilters", []):
            if told["filterName"] == existing.physical_id:
                names = ("filterPattern", "destinationArn", "roleArn", "distribution")
                return known(**pascal(only(told, *names)))
        return None

    def _put(self, context: Context, name: str, properties: Properties) -> None:
        request = camel(only(properties, *self._NAMES))
        context.client("logs").put_subscription_filter(filterName=name, **request)


class ResourcePolicy(Model):
    """Which services may write to log groups."""

    type = "AWS::Logs::ResourcePolicy"

    def create(self, context: Context, properties: Properties) -> Created:
        self._put(context, properties)
        return Created(properties["PolicyName"])

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        self._put(context, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("logs").delete_resource_policy(policyName=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        for policy in context.client("logs").describe_resource_policies()["resourcePolicies"]:
            if policy["policyName"] == existing.physical_id:
                return {"PolicyDocument": document_of(policy["policyDocument"])}
        return None

    @staticmethod
    def _put(context: Context, properties: Properties) -> None:
        name, text = properties["PolicyName"], text_of(properties["PolicyDocument"])
        context.client("logs").put_resource_policy(policyName=name, policyDocument=text)


MODELS = (LogGroup(), MetricFilter(), SubscriptionFilter(), ResourcePolicy())
