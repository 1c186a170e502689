"""A topic of SNS that alerts are sent to."""

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
    """What a key is for.

    Attributes:
        alias: Name without the `alias/` prefix, unique in the account and Region.
        description: Says what the key encrypts.
        senders: Services that send to its topics. The alert manager and CloudWatch by default.
        own_account: Whether those name the account that they send for. EventBridge's rules do not.
    """

    alias: str
    description: str
    senders: Sequence[str] = (_PROMETHEUS, _CLOUDWATCH)
    own_account: bool = True


class AlertKey(Construct):
    """A KMS key of topics, which the alert manager and CloudWatch's alarms may use.

    The key that AWS has for SNS cannot be granted to services, so what they send to a topic under it is lost.

    Attributes:
        key_arn: The key.
    """

    def __init__(self, scope: Construct, construct_id: str, props: AlertKeyProps) -> None:
        """Create the key and its alias."""
        super().__init__(scope, construct_id)
        key = add_key(
            self,
            alias=props.alias,
            description=props.description,
            statements=[_senders(props.senders, own_account=props.own_account)],
            # nothing that is kept is encrypted with it
            retention=Retention.DISPOSABLE,
            tags=props.tags,
        )
        self.key_arn = attribute(key, "Arn")


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertTopicProps(Tagged):
    """Who is told of alerts.

    Attributes:
        name: The topic's name, unique in the account and Region.
        display_name: Who mail is from.
        key_arn: KMS key of the messages (`AlertKey`).
        emails: Addresses that subscribe; each confirms by mail before it is told anything.
    """

    name: str
    display_name: str
    key_arn: str
    emails: Sequence[str] = ()


class AlertTopic(Construct):
    """An encrypted topic with its subscriptions.

    `allow_senders` makes its policy, which names the workspace, whose alert manager names the topic.

    Attributes:
        topic_arn: The topic.
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
            told = {"TopicArn": self.topic_arn, "Protocol": "email", "Endpoint": email}
            add_resource(self, f"Email-{email}", "AWS::SNS::Subscription", told)

    def allow_senders(self, workspace_arn: str | None) -> None:
        """Let CloudWatch's alarms of this account, and a workspace's alert manager, send to the topic.

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
    """Services send what is encrypted first.

    The account stands for the workspace: a policy with its ARN would have to come after the workspace, which
    comes after the topic and so after the key. Sources: the page above;
    https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html
    """
    return statement(
        ["kms:Decrypt", "kms:GenerateDataKey*"],
        "*",
        sid="Senders",
        principal={"Service": list(services)},
        condition={"StringEquals": _OWN_ACCOUNT} if own_account else None,
    )
