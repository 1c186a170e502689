"""SNS topics that receive alerts, and their KMS key."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from constructs import Construct

from ultracluster.cfn import (
    Tagged,
    add_key,
    add_resource,
    attribute,
    policy,
    statement,
    sub,
    tag_list,
    tls_only,
)
from ultracluster.retention import Retention

_PROMETHEUS, _CLOUDWATCH = "aps.amazonaws.com", "cloudwatch.amazonaws.com"
_OWN_ACCOUNT = {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertKeyProps(Tagged):
    """Properties of a KMS key for alert topics.

    Attributes:
        alias: Name without the `alias/` prefix, unique in the account and Region.
        description: Description of the key.
        senders: Services that send to topics with this key. Default: the AMP alert manager and CloudWatch.
        own_account: Whether the services set `aws:SourceAccount`. EventBridge rules do not.
    """

    alias: str
    description: str
    senders: Sequence[str] = (_PROMETHEUS, _CLOUDWATCH)
    own_account: bool = True


class AlertKey(Construct):
    """A KMS key for alert topics, which the AMP alert manager and CloudWatch alarms may use.

    The AWS managed key for SNS cannot be granted to these services, so they cannot send to a topic that uses
    it.

    Attributes:
        key_arn: ARN of the key.
    """

    def __init__(self, scope: Construct, construct_id: str, props: AlertKeyProps) -> None:
        """Create the key and its alias."""
        super().__init__(scope, construct_id)
        key = add_key(
            self,
            alias=props.alias,
            description=props.description,
            statements=[_senders(props.senders, own_account=props.own_account)],
            # the key encrypts no retained data
            retention=Retention.DISPOSABLE,
            tags=props.tags,
        )
        self.key_arn = attribute(key, "Arn")


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertTopicProps(Tagged):
    """Properties of an alert topic.

    Attributes:
        name: Name of the topic, unique in the account and Region.
        display_name: Sender name of emails.
        key_arn: ARN of the KMS key of the messages (`AlertKey`).
        emails: Email addresses that subscribe. Each address must confirm before it receives alerts.
    """

    name: str
    display_name: str
    key_arn: str
    emails: Sequence[str] = ()


class AlertTopic(Construct):
    """An encrypted topic with its subscriptions.

    `allow_senders` creates the topic's policy later, since the policy needs the AMP workspace and the
    workspace needs the topic.

    Attributes:
        topic_arn: ARN of the topic.
    """

    def __init__(self, scope: Construct, construct_id: str, props: AlertTopicProps) -> None:
        """Create the topic and its subscriptions."""
        super().__init__(scope, construct_id)
        topic = add_resource(
            self,
            "Resource",
            "AWS::SNS::Topic",
            {
                "TopicName": props.name,
                "DisplayName": props.display_name,
                "KmsMasterKeyId": props.key_arn,
                "Tags": tag_list(props.tags),
            },
            retention=Retention.DISPOSABLE,
        )
        self.topic_arn = topic.ref
        for email in sorted(set(props.emails)):
            subscription = {"TopicArn": self.topic_arn, "Protocol": "email", "Endpoint": email}
            add_resource(self, f"Email-{email}", "AWS::SNS::Subscription", subscription)

    def allow_senders(self, workspace_arn: str | None) -> None:
        """Allow CloudWatch alarms of this account, and a workspace's alert manager, to send to the topic.

        Source: https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-alertmanager-receiver-AMPpermission.html
        """
        alarms = "arn:${AWS::Partition}:cloudwatch:${AWS::Region}:${AWS::AccountId}:alarm:*"
        statements = [
            statement(
                ["sns:Publish"],
                self.topic_arn,
                sid="Alarms",
                principal={"Service": _CLOUDWATCH},
                condition={"StringEquals": _OWN_ACCOUNT, "ArnLike": {"aws:SourceArn": sub(alarms)}},
            ),
            tls_only(["sns:Publish"], self.topic_arn, sid="Encrypted"),
        ]
        if workspace_arn is not None:
            statements.insert(0, _alert_manager(self.topic_arn, workspace_arn))
        allowed = {"Topics": [self.topic_arn], "PolicyDocument": policy(statements)}
        add_resource(self, "Policy", "AWS::SNS::TopicPolicy", allowed)


def _alert_manager(topic_arn: str, workspace_arn: str) -> dict[str, Any]:
    return statement(
        ["sns:GetTopicAttributes", "sns:Publish"],
        topic_arn,
        sid="AlertManager",
        principal={"Service": _PROMETHEUS},
        condition={"ArnEquals": {"aws:SourceArn": workspace_arn}, "StringEquals": _OWN_ACCOUNT},
    )


def _senders(services: Sequence[str], *, own_account: bool) -> dict[str, Any]:
    """Return the statement that lets services encrypt messages.

    The condition uses the account instead of the workspace ARN, since the workspace depends on the topic and
    the topic on the key. Sources: the page above;
    https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html
    """
    return statement(
        ["kms:Decrypt", "kms:GenerateDataKey*"],
        "*",
        sid="Senders",
        principal={"Service": list(services)},
        condition={"StringEquals": _OWN_ACCOUNT} if own_account else None,
    )
