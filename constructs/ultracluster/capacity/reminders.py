"""Messages at moments that are known beforehand, from the clock of EventBridge."""

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
    """One message.

    Attributes:
        name: Part of the logical id, unique among the reminders: `train-24h`.
        at: When it is sent, in UTC, to the minute.
        text: What it says.
    """

    name: str
    at: datetime
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemindersProps(Tagged):
    """Messages to one topic.

    Attributes:
        topic_arn: The topic; its policy lets events.amazonaws.com publish (`allow_reminders`).
        reminders: The messages.
    """

    topic_arn: str
    reminders: Sequence[Reminder]


class Reminders(Construct):
    """A rule for each message, whose schedule names minute, day and year, so that it holds once.

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
    """Let EventBridge's rules, and nobody without encryption, send to a topic.

    Without a condition: a message that one shuts out is lost without a word, and which ones scheduled rules
    meet was seen nowhere.
    Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html
    """
    publish = ["sns:Publish"]
    statements = [
        statement(publish, topic_arn, sid="Reminders", principal={"Service": EVENTS}),
        tls_only(publish, topic_arn, sid="Encrypted"),
    ]
    allowed = {"Topics": [topic_arn], "PolicyDocument": policy(statements)}
    add_resource(scope, "Policy", "AWS::SNS::TopicPolicy", allowed)
