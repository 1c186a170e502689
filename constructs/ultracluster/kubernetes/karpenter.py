"""Resources of Karpenter outside the cluster: interruption queue and instance profile."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aws_cdk import CfnResource
from constructs import Construct

from ultracluster.cfn import Tagged, add_resource, attribute, policy, statement, tag_list, tls_only
from ultracluster.moved import add_old_names
from ultracluster.retention import Retention

_KEPT_S = 300
"""Retention of an event; older interruption events are not useful."""

_NEWS: Mapping[str, tuple[str, str]] = {
    "Health": ("aws.health", "AWS Health Event"),
    "Rebalance": ("aws.ec2", "EC2 Instance Rebalance Recommendation"),
    "ReservationInterruption": ("aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning"),
    "SpotInterruption": ("aws.ec2", "EC2 Spot Instance Interruption Warning"),
    "StateChange": ("aws.ec2", "EC2 Instance State-change Notification"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class KarpenterPrerequisitesProps(Tagged):
    """Properties of Karpenter's resources.

    Attributes:
        queue_name: Name of the queue, at most 80 characters; the chart's values contain it.
        node_role_name: Role of the nodes that Karpenter launches.
    """

    queue_name: str
    node_role_name: str


class KarpenterPrerequisites(Construct):
    """The interruption queue with its event rules, and the instance profile of Karpenter's nodes.

    Karpenter drains a node when AWS announces that its instance will be interrupted. Sources:
    aws/karpenter-provider-aws:
    website/content/en/preview/getting-started/getting-started-with-karpenter/cloudformation.yaml, and
    https://karpenter.sh/docs/concepts/disruption/#interruption

    Attributes:
        instance_profile_name: A generated name, because a profile name must be unique in all Regions of an
            account.
        dependencies: Resources that must exist before Karpenter runs.
    """

    def __init__(self, scope: Construct, construct_id: str, props: KarpenterPrerequisitesProps) -> None:
        """Create the queue, its rules and the profile."""
        super().__init__(scope, construct_id)
        queue = add_resource(
            self,
            "Queue",
            "AWS::SQS::Queue",
            {
                "QueueName": props.queue_name,
                "MessageRetentionPeriod": _KEPT_S,
                "SqsManagedSseEnabled": True,
                "Tags": tag_list(props.tags),
            },
            retention=Retention.DISPOSABLE,
        )
        access = add_resource(
            self,
            "QueuePolicy",
            "AWS::SQS::QueuePolicy",
            {"Queues": [queue.ref], "PolicyDocument": policy(_queue_statements(queue))},
        )
        tags = tag_list(props.tags)
        rules = [
            self._rule(name, source, kind, queue, tags) for name, (source, kind) in sorted(_NEWS.items())
        ]
        profile = add_resource(
            self, "Profile", "AWS::IAM::InstanceProfile", {"Roles": [props.node_role_name]}
        )
        self.instance_profile_name = profile.ref
        self.dependencies = (queue, access, *rules, profile)

    def _rule(
        self, name: str, source: str, kind: str, queue: CfnResource, tags: list[dict[str, str]]
    ) -> CfnResource:
        target = {"Id": "KarpenterQueue", "Arn": attribute(queue, "Arn")}
        pattern = {"source": [source], "detail-type": [kind]}
        properties = {"EventPattern": pattern, "Targets": [target], "Tags": tags}
        return add_resource(self, name, "AWS::Events::Rule", properties)


def _queue_statements(queue: CfnResource) -> list[dict[str, Any]]:
    arn = attribute(queue, "Arn")
    return [
        statement(["sqs:SendMessage"], arn, sid="Events", principal={"Service": ["events.amazonaws.com"]}),
        tls_only(["sqs:*"], arn, sid="EncryptedOnly"),
    ]


add_old_names(__name__)
