"""Queues and their policies, over SQS."""

# ruff: noqa: D102 - create, update, delete and read are described by Model

from __future__ import annotations

from typing import Any

from botocore.exceptions import ClientError

from scripts.cloud.resources.base import (
    Context,
    Created,
    Existing,
    Model,
    Properties,
    attributes_as_texts,
    document_of,
    found,
    is_gone,
    known,
    only,
    tag_mapping,
    text_of,
)
from scripts.cloud.template.errors import ResourceFailedError

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


class Queue(Model):
    """A queue, which CloudFormation knows by its address."""

    type = "AWS::SQS::Queue"

    def create(self, context: Context, properties: Properties) -> Created:
        sqs = context.client("sqs")
        suffix = ".fifo" if properties.get("FifoQueue") else ""
        name = properties.get("QueueName") or context.generated_name(80 - len(suffix)) + suffix
        if found(sqs.get_queue_url, QueueName=name):  # SQS itself would give the queue that is there
            raise ResourceFailedError(f"{name} already exists")
        url = sqs.create_queue(
            QueueName=name,
            Attributes=attributes_as_texts(properties, _SETTINGS),
            **_tagged(context, properties),
        )
        arn = f"arn:aws:sqs:{context.region}:{context.account_id}:{name}"
        context.claim(url["QueueUrl"])
        return Created(url["QueueUrl"], {"Arn": arn, "QueueName": name, "QueueUrl": url["QueueUrl"]})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        sqs, url = context.client("sqs"), existing.physical_id
        before, after = (
            attributes_as_texts(existing.properties, _SETTINGS),
            attributes_as_texts(properties, _SETTINGS),
        )
        changed = {name: after.get(name, "") for name in before.keys() | after.keys()}
        changed = {name: value for name, value in changed.items() if before.get(name) != value}
        if changed:
            sqs.set_queue_attributes(QueueUrl=url, Attributes=changed)
        tags, wanted = tag_mapping(existing.properties), context.tags(properties)
        if set(tags) - set(wanted):
            sqs.untag_queue(QueueUrl=url, TagKeys=sorted(set(tags) - set(wanted)))
        if wanted and wanted != tags:
            sqs.tag_queue(QueueUrl=url, Tags=wanted)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("sqs").delete_queue(QueueUrl=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        ask = context.client("sqs").get_queue_attributes
        answer = found(ask, QueueUrl=existing.physical_id, AttributeNames=["All"])
        if answer is None:
            return None
        told = only(answer["Attributes"], *_SETTINGS)
        return known(**{name: document_of(value) for name, value in told.items()})


class QueuePolicy(Model):
    """Who may send to queues."""

    type = "AWS::SQS::QueuePolicy"

    def create(self, context: Context, properties: Properties) -> Created:
        self._put(context, properties)
        policy_id = context.generated_name(128)
        return Created(policy_id, {"Id": policy_id})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        for url in sorted(set(existing.properties["Queues"]) - set(properties["Queues"])):
            _set(context, url, "")
        self._put(context, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        for url in existing.properties["Queues"]:
            try:
                _set(context, url, "")
            except ClientError as error:
                if not is_gone(error):
                    raise

    def read(self, context: Context, existing: Existing) -> Properties | None:
        sqs = context.client("sqs")
        policies = []
        for url in existing.properties["Queues"]:
            answer = found(sqs.get_queue_attributes, QueueUrl=url, AttributeNames=["Policy"])
            if answer is None:
                return None
            policies.append(document_of(answer.get("Attributes", {}).get("Policy")))
        first = policies[0]
        return {"PolicyDocument": first if all(p == first for p in policies) else policies}

    def _put(self, context: Context, properties: Properties) -> None:
        for url in properties["Queues"]:
            _set(context, url, text_of(properties["PolicyDocument"]))


def _set(context: Context, url: str, policy: str) -> None:
    """An empty text takes a policy away."""
    context.client("sqs").set_queue_attributes(QueueUrl=url, Attributes={"Policy": policy})


def _tagged(context: Context, properties: Properties) -> dict[str, Any]:
    tags = context.tags(properties)
    return {"tags": tags} if tags else {}


MODELS = (Queue(), QueuePolicy())
