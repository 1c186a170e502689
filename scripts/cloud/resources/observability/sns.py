"""SNS topics, their subscriptions and policies."""

# ruff: noqa: D102 - Model and ApiModel describe the methods

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from scripts.cloud.resources.api import ApiModel
from scripts.cloud.resources.base import (
    Context,
    Created,
    Existing,
    Properties,
    attributes_as_texts,
    document_of,
    only,
    text_of,
)

from .policies import ResourcePolicies


class _Attributed(ApiModel):
    """A resource whose attributes are strings in SNS; one request changes one attribute."""

    service = "sns"
    names: ClassVar[tuple[str, ...]]
    updates = ""

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        texts = attributes_as_texts(new, self.names)
        return {**new, "Attributes": texts, "ReturnSubscriptionArn": True}

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties | Created:
        before, after = (attributes_as_texts(p, self.names) for p in (existing.properties, properties))
        method = f"set_{self.noun}_attributes"
        for name in sorted(before.keys() | after.keys()):
            if before.get(name) != after.get(name):
                value = {"AttributeName": name, "AttributeValue": after.get(name, "")}
                getattr(context.client("sns"), method)(**self.request(context, method, existing), **value)
        return super().update(context, existing, properties)

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        texts = only(record["Attributes"], *self.names, "TopicArn", "Protocol", "Endpoint")
        return super().properties(
            context, existing, {name: document_of(text) for name, text in texts.items()}
        )


class Topic(_Attributed):
    """A topic."""

    type = "AWS::SNS::Topic"
    noun = "topic"
    reads = "get_topic_attributes"
    names = ("DisplayName", "KmsMasterKeyId", "FifoTopic", "ContentBasedDeduplication", "SignatureVersion")
    key = ("TopicArn",)
    shown = ("TopicName",)
    unique = True  # SNS itself would return the existing topic

    def name(self, context: Context, properties: Properties) -> dict[str, Any]:
        suffix = ".fifo" if properties.get("FifoTopic") else ""
        return {"Name": properties.get("TopicName") or context.generated_name(256 - len(suffix)) + suffix}

    def identity(self, context: Context, made: Properties) -> str:
        return context.arn("sns", made["Name"])

    def attributes(self, context: Context, existing: Existing, made: Properties) -> dict[str, Any]:
        return super().attributes(context, existing, {**made, "TopicName": made["Name"]})

    def settle(self, context: Context, client: Any, existing: Existing, properties: Properties) -> None:
        topic = {"TopicArn": existing.physical_id}
        if properties.get("Subscription") == existing.properties.get("Subscription"):
            return
        for record in (
            client.list_subscriptions_by_topic(**topic)["Subscriptions"] if existing.properties else ()
        ):
            client.unsubscribe(SubscriptionArn=record["SubscriptionArn"])
        for subscription in properties.get("Subscription") or []:
            client.subscribe(**topic, **only(subscription, "Protocol", "Endpoint"))

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        listed = context.client("sns").list_subscriptions_by_topic(TopicArn=existing.physical_id)[
            "Subscriptions"
        ]
        inline = {(s["Protocol"], s["Endpoint"]) for s in existing.properties.get("Subscription", [])}
        subscriptions = sorted((s["Protocol"], s["Endpoint"]) for s in listed)
        declared = [{"Protocol": p, "Endpoint": e} for p, e in subscriptions if (p, e) in inline]
        return super().properties(context, existing, record) | {"Subscription": declared}


class Subscription(_Attributed):
    """A subscription to a topic."""

    type = "AWS::SNS::Subscription"
    noun = "subscription"
    creates, deletes = "subscribe", "unsubscribe"
    reads = "get_subscription_attributes"
    names = (
        "DeliveryPolicy", "FilterPolicy", "FilterPolicyScope", "RawMessageDelivery", "RedrivePolicy",
        "SubscriptionRoleArn",
    )  # fmt: skip
    key = ("SubscriptionArn",)
    ref = "{SubscriptionArn}"


class TopicPolicy(ResourcePolicies):
    """The policy of topics."""

    type = "AWS::SNS::TopicPolicy"
    resources = "Topics"

    def ask(self, context: Context, resource: str) -> Any:
        return context.client("sns").get_topic_attributes(TopicArn=resource)

    def set(self, context: Context, resource: str, policy: str) -> None:
        request = {"AttributeName": "Policy", "AttributeValue": policy or _default_policy(context, resource)}
        context.client("sns").set_topic_attributes(TopicArn=resource, **request)


def _default_policy(context: Context, arn: str) -> str:
    """Return the default policy of a topic, which allows access by the topic's own account.

    https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html
    """
    actions = ["GetTopicAttributes", "SetTopicAttributes", "AddPermission", "RemovePermission", "DeleteTopic"]
    actions += ["Subscribe", "ListSubscriptionsByTopic", "Publish"]
    statement = {
        "Sid": "__default_statement_ID",
        "Effect": "Allow",
        "Principal": {"AWS": "*"},
        "Action": [f"SNS:{action}" for action in actions],
        "Resource": arn,
        "Condition": {"StringEquals": {"AWS:SourceOwner": context.account_id}},
    }
    return text_of({"Version": "2008-10-17", "Id": "__default_policy_ID", "Statement": [statement]})
