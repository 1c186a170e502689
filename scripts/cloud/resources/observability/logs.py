"""CloudWatch Logs log groups, metric filters, subscription filters and resource policies."""

# ruff: noqa: D102 - Model and ApiModel describe the methods

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.api import ApiModel, retag, setting
from scripts.cloud.resources.base import Context, Existing, Properties


class LogGroup(ApiModel):
    """A log group with its retention and KMS key."""

    type = "AWS::Logs::LogGroup"
    service, noun = "logs", "log_group"
    updates = ""
    reads = "describe_log_groups"
    named = ("LogGroupName", "logGroupName", 512)
    key = ("logGroupName",)

    def attributes(self, context: Context, existing: Existing, made: Properties) -> dict[str, Any]:
        return {"Arn": f"{self._arn(context, existing)}:*"}

    def settle(self, context: Context, client: Any, existing: Existing, properties: Properties) -> None:
        named, old = {"logGroupName": existing.physical_id}, existing.properties
        if "RetentionInDays" in properties:
            client.put_retention_policy(**named, retentionInDays=properties["RetentionInDays"])
        else:
            client.delete_retention_policy(**named)
        if properties.get("KmsKeyId") != old.get("KmsKeyId"):
            setting(
                old, properties, "KmsKeyId",
                lambda key: client.associate_kms_key(**named, kmsKeyId=key),
                lambda: client.disassociate_kms_key(**named),
            )  # fmt: skip

    def retag(self, context: Context, existing: Existing, properties: Properties) -> None:
        retag(context, "logs", self._arn(context, existing), existing.properties, properties)

    @staticmethod
    def _arn(context: Context, existing: Existing) -> str:
        return context.arn("logs", f"log-group:{existing.physical_id}")


class _Filter(ApiModel):
    service = "logs"
    creates = updates = "put_{}"
    reads = "describe_{}s"
    named = ("FilterName", "filterName", 512)
    key = ("filterName", "logGroupName:LogGroupName")


class MetricFilter(_Filter):
    """A metric filter of a log group."""

    type = "AWS::Logs::MetricFilter"
    noun = "metric_filter"

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        transformations = [
            {
                **one,
                **(
                    {"Dimensions": {d["Key"]: d["Value"] for d in one["Dimensions"]}}
                    if "Dimensions" in one
                    else {}
                ),
            }
            for one in new["MetricTransformations"]
        ]
        return {**new, "MetricTransformations": transformations}

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        transformations = [
            {
                **one,
                "Dimensions": [{"Key": k, "Value": v} for k, v in sorted(one.get("Dimensions", {}).items())],
            }
            for one in record["MetricTransformations"]
        ]
        return super().properties(context, existing, {**record, "MetricTransformations": transformations})


class SubscriptionFilter(_Filter):
    """A subscription filter that sends events of a log group to a function, a stream or a destination."""

    type = "AWS::Logs::SubscriptionFilter"
    noun = "subscription_filter"


class ResourcePolicy(ApiModel):
    """A resource policy for services that write to log groups."""

    type = "AWS::Logs::ResourcePolicy"
    service, noun = "logs", "resource_policy"
    creates = updates = "put_{}"
    reads = "describe_resource_policies"
    named = ("PolicyName", "policyName", 255)
    key = ("policyName",)
