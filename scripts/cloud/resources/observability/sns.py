"""Topics, their subscriptions and policies, over SNS."""

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

_TOPIC = ("DisplayName", "KmsMasterKeyId", "FifoTopic", "ContentBasedDeduplication", "SignatureVersion")
_SUBSCRIPTION = (
    "DeliveryPolicy",
    "FilterPolicy",
    "FilterPolicyScope",
    "RawMessageDelivery",
    "RedrivePolicy",
    "SubscriptionRoleArn",
)


class Topic(Model):
    """A topic."""

    type = "AWS::SNS::Topic"

    def create(self, context: Context, properties: Properties) -> Created:
        sns = context.client("sns")
        suffix = ".fifo" if properties.get("FifoTopic") else ""
        name = properties.get("TopicName") or context.generated_name(256 - len(suffix)) + suffix
        arn = f"arn:aws:sns:{context.region}:{context.account_id}:{name}"
        if found(sns.get_topic_attributes, TopicArn=arn):  # SNS itself would give the topic that is there
            raise ResourceFailedError(f"{arn} already exists")
        sns.create_topic(
            Name=name, Attributes=attributes_as_texts(properties, _TOPIC), Tags=context.tag_list(properties)
        )
        context.claim(arn)
        self._subscribe(sns, arn, properties)
        return Created(arn, {"TopicArn": arn, "TopicName": name})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        sns, arn = context.client("sns"), existing.physical_id
        before, after = (attributes_as_texts(p, _TOPIC) for p in (existing.properties, properties))
        for name in sorted(before.keys() | after.keys()):
            if before.get(name) != after.get(name):
                value = after.get(name, "")
                sns.set_topic_attributes(TopicArn=arn, AttributeName=name, AttributeValue=value)
        if properties.get("Subscription") != existing.properties.get("Subscription"):
            for told in sns.list_subscriptions_by_topic(TopicArn=arn)["Subscriptions"]:
                sns.unsubscribe(SubscriptionArn=told["SubscriptionArn"])
            self._subscribe(sns, arn, properties)
        tags, wanted = tag_mapping(existing.properties), context.tags(properties)
        if set(tags) - set(wanted):
            sns.untag_resource(ResourceArn=arn, TagKeys=sorted(set(tags) - set(wanted)))
        if wanted and wanted != tags:
            sns.tag_resource(ResourceArn=arn, Tags=context.tag_list(properties))
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("sns").delete_topic(TopicArn=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        sns, topic = context.client("sns"), {"TopicArn": existing.physical_id}
        answer = found(sns.get_topic_attributes, **topic)
        if answer is None:
            return None
        told = sns.list_subscriptions_by_topic(**topic)["Subscriptions"]
        inline = {(s["Protocol"], s["Endpoint"]) for s in existing.properties.get("Subscription", [])}
        subscriptions = sorted((s["Protocol"], s["Endpoint"]) for s in told)
        return known(
            **only(answer["Attributes"], *_TOPIC),
            Subscription=[{"Protocol": p, "Endpoint": e} for p, e in subscriptions if (p, e) in inline],
        )

    @staticmethod
    def _subscribe(sns: Any, arn: str, properties: Properties) -> None:
        for subscription in properties.get("Subscription") or []:
            sns.subscribe(TopicArn=arn, **only(subscription, "Protocol", "Endpoint"))


class Subscription(Model):
    """Who is told of a topic's messages."""

    type = "AWS::SNS::Subscription"

    def create(self, context: Context, properties: Properties) -> Created:
        arn = context.client("sns").subscribe(
            **only(properties, "TopicArn", "Protocol", "Endpoint"),
            Attributes=attributes_as_texts(properties, _SUBSCRIPTION),
            ReturnSubscriptionArn=True,
        )["SubscriptionArn"]
        return Created(arn, {"Arn": arn})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        sns, arn = context.client("sns"), existing.physical_id
        before, after = (attributes_as_texts(p, _SUBSCRIPTION) for p in (existing.properties, properties))
        for name in sorted(before.keys() | after.keys()):
            if before.get(name) != after.get(name):
                value = after.get(name, "")
                sns.set_subscription_attributes(SubscriptionArn=arn, AttributeName=name, AttributeValue=value)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("sns").unsubscribe(SubscriptionArn=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        ask = context.client("sns").get_subscription_attributes
        answer = found(ask, SubscriptionArn=existing.physical_id)
        if answer is None:
            return None
        told = only(answer["Attributes"], "TopicArn", "Protocol", "Endpoint", *_SUBSCRIPTION)
        return known(**{name: document_of(value) for name, value in told.items()})


class TopicPolicy(Model):
    """Who may publish to topics."""

    type = "AWS::SNS::TopicPolicy"

    def create(self, context: Context, properties: Properties) -> Created:
        self._put(context, properties)
        policy_id = context.generated_name(128)
        return Created(policy_id, {"Id": policy_id})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        for arn in sorted(set(existing.properties["Topics"]) - set(properties["Topics"])):
            self._set(context, arn, _default_policy(context, arn))
        self._put(context, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        for arn in existing.properties["Topics"]:
            try:
                self._set(context, arn, _default_policy(context, arn))
            except ClientError as error:
                if not is_gone(error):
                    raise

    def read(self, context: Context, existing: Existing) -> Properties | None:
        sns = context.client("sns")
        policies = []
        for arn in existing.properties["Topics"]:
            answer = found(sns.get_topic_attributes, TopicArn=arn)
            if answer is None:
                return None
            policies.append(document_of(answer["Attributes"]["Policy"]))
        first = policies[0]
        return {"PolicyDocument": first if all(p == first for p in policies) else policies}

    def _put(self, context: Context, properties: Properties) -> None:
        for arn in properties["Topics"]:
            self._set(context, arn, text_of(properties["PolicyDocument"]))

    @staticmethod
    def _set(context: Context, arn: str, policy: str) -> None:
        sns = context.client("sns")
        sns.set_topic_attributes(TopicArn=arn, AttributeName="Policy", AttributeValue=policy)


def _default_policy(context: Context, arn: str) -> str:
    """What a topic says that was given none: its own account may use it.

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


MODELS = (Topic(), Subscription(), TopicPolicy())
