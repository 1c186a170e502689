"""SQS queues and their policies."""

# ruff: noqa: D102 - Model and ApiModel describe the methods

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.api import ApiModel, retag
from scripts.cloud.resources.base import (
    Context,
    Created,
    Existing,
    Properties,
    attributes_as_texts,
    document_of,
    found,
)
from scripts.cloud.template.errors import ResourceFailedError

from .policies import ResourcePolicies

_SETTINGS = (
    "ContentBasedDeduplication",
    "DelaySeconds",
    "FifoQueue",
    "KmsDataKeyReusePeriodSeconds",
    "KmsMasterKeyId",
    "MaximumMessageSize",
    "MessageRetentionPeriod",
    "ReceiveMessageWaitTimeSeconds",
    "RedrivePolicy",
    "SqsManagedSseEnabled",
    "VisibilityTimeout",
)


class Queue(ApiModel):
    """A queue; its physical id in CloudFormation is its URL."""

    type = "AWS::SQS::Queue"
    service, noun = "sqs", "queue"
    updates = ""
    reads = "get_queue_attributes"
    key = ("QueueUrl",)
    ref = "{QueueUrl}"
    shown = ("QueueName",)

    def name(self, context: Context, properties: Properties) -> dict[str, Any]:
        suffix = ".fifo" if properties.get("FifoQueue") else ""
        name = properties.get("QueueName") or context.generated_name(80 - len(suffix)) + suffix
        if found(
            context.client("sqs").get_queue_url, QueueName=name
        ):  # SQS itself would return the existing queue
            raise ResourceFailedError(f"{name} already exists")
        return {"QueueName": name}

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        return {"Attributes": attributes_as_texts(new, _SETTINGS)}

    def attributes(self, context: Context, existing: Existing, made: Properties) -> dict[str, Any]:
        return super().attributes(context, existing, {**made, "Arn": context.arn("sqs", made["QueueName"])})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties | Created:
        before, after = (attributes_as_texts(p, _SETTINGS) for p in (existing.properties, properties))
        changed = {n: after.get(n, "") for n in before.keys() | after.keys() if before.get(n) != after.get(n)}
        if changed:
            context.client("sqs").set_queue_attributes(QueueUrl=existing.physical_id, Attributes=changed)
        return super().update(context, existing, properties)

    def retag(self, context: Context, existing: Existing, properties: Properties) -> None:
        retag(context, "sqs", existing.physical_id, existing.properties, properties)

    def request(self, context: Context, method: str, existing: Existing) -> dict[str, Any]:
        every = {"AttributeNames": ["All"]} if method == self.reads else {}
        return super().request(context, method, existing) | every

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        return {name: document_of(text) for name, text in record["Attributes"].items() if name in _SETTINGS}


class QueuePolicy(ResourcePolicies):
    """The policy of queues."""

    type = "AWS::SQS::QueuePolicy"
    resources = "Queues"

    def ask(self, context: Context, resource: str) -> Any:
        return context.client("sqs").get_queue_attributes(QueueUrl=resource, AttributeNames=["Policy"])

    def set(self, context: Context, resource: str, policy: str) -> None:
        context.client("sqs").set_queue_attributes(QueueUrl=resource, Attributes={"Policy": policy})
