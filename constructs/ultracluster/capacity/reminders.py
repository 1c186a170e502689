"""Reminders that EventBridge publishes to an SNS topic at fixed times."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from constructs import Construct

from ultracluster.cfn import Tagged, add_resource, policy, statement, tag_list, tls_only
from ultracluster.retention import Retention

EVENTS = "events.amazonaws.com"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """A reminder.

    Attributes:
        name: Part of the logical id, unique among the reminders, such as `train-24h`.
        at: Time in UTC, to the minute.
        text: Message text.
    """

    name: str
    at: datetime
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemindersProps(Tagged):
    """Properties of the reminders to a topic.

    Attributes:
        topic_arn: SNS topic; its policy must allow events.amazonaws.com to publish (`allow_reminders`).
        reminders: The reminders.
    """

    topic_arn: str
    reminders: Sequence[Reminder]


class Reminders(Construct):
    """An EventBridge rule for each reminder; its schedule has a day and a year, so it matches only once.

    Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
    """

    def __init__(self, scope: Construct, construct_id: str, props: RemindersProps) -> None:
        """Create the rules."""
        super().__init__(scope, construct_id)
        for reminder in props.reminders:
            at = reminder.at
            add_resource(
                self,
                reminder.name,
                "AWS::Events::Rule",
                {
                    "Description": reminder.text[:512],
                    "ScheduleExpression": f"cron({at.minute} {at.hour} {at.day} {at.month} ? {at.year})",
                    "Targets": [{"Id": "Topic", "Arn": props.topic_arn, "Input": json.dumps(reminder.text)}],
                    "Tags": tag_list(props.tags),
                },
                retention=Retention.DISPOSABLE,
            )


def allow_reminders(scope: Construct, topic_arn: str) -> None:
    """Allow EventBridge rules to publish to an SNS topic, and deny requests without TLS.

    The statement has no condition: AWS does not document which conditions scheduled rules meet, and a message
    that a condition denies is lost without an error.
    Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html
    """
    publish = ["sns:Publish"]
    statements = [
        statement(publish, topic_arn, sid="Reminders", principal={"Service": EVENTS}),
        tls_only(publish, topic_arn, sid="Encrypted"),
    ]
    allowed = {"Topics": [topic_arn], "PolicyDocument": policy(statements)}
    add_resource(scope, "Policy", "AWS::SNS::TopicPolicy", allowed)
