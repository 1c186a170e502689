"""Permissions of Karpenter's controller: it can launch and terminate only its own instances.

The statements follow Karpenter's own policies
(aws/karpenter-provider-aws:website/content/en/preview/getting-started/
getting-started-with-karpenter/cloudformation.yaml; reference/cloudformation.md explains them). Karpenter
creates no instance profiles, because the stack creates the profile of Karpenter's nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from config.design.kubernetes.csi import partition_of
from config.design.kubernetes.steps import later

Statement = Mapping[str, Any]

_LAUNCH = ("ec2:RunInstances", "ec2:CreateFleet")
_LAUNCHED = ("fleet", "instance", "volume", "network-interface", "launch-template", "spot-instances-request")
_USED = ("security-group", "subnet", "capacity-reservation", "placement-group")
_POOL_KEY = "karpenter.sh/nodepool"
_READ = (
    "ec2:DescribeCapacityReservations",
    "ec2:DescribeImages",
    "ec2:DescribeInstanceStatus",
    "ec2:DescribeInstanceTypeOfferings",
    "ec2:DescribeInstanceTypes",
    "ec2:DescribeInstances",
    "ec2:DescribeLaunchTemplates",
    "ec2:DescribePlacementGroups",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSpotPriceHistory",
    "ec2:DescribeSubnets",
)


def karpenter_statements(region: str, cluster_name: str, queue_name: str) -> tuple[Statement, ...]:
    """Return the statements of the controller's role; they contain no account id."""
    arn = f"arn:{partition_of(region)}"
    return (
        *_machines(f"{arn}:ec2:{region}", cluster_name),
        *_reading(arn, region, cluster_name),
        _allow("PassNodeRole", ["iam:PassRole"], later("role-arn", "nodes"))
        | {"Condition": {"StringEquals": {"iam:PassedToService": ["ec2.amazonaws.com"]}}},
        _allow(
            "Interruptions",
            ["sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage"],
            f"{arn}:sqs:{region}:*:{queue_name}",
        ),
    )


def _machines(ec2: str, cluster_name: str) -> Iterator[Statement]:
    """Yield the statements that allow Karpenter to launch and terminate instances with the cluster's tags."""
    owned = f"kubernetes.io/cluster/{cluster_name}"
    asked = {
        "StringEquals": {
            f"aws:RequestTag/{owned}": "owned",
            "aws:RequestTag/eks:eks-cluster-name": cluster_name,
        },
        "StringLike": {f"aws:RequestTag/{_POOL_KEY}": "*"},
    }
    tagged = {
        "StringEquals": {f"aws:ResourceTag/{owned}": "owned"},
        "StringLike": {f"aws:ResourceTag/{_POOL_KEY}": "*"},
    }
    launched = [f"{ec2}:*:{kind}/*" for kind in _LAUNCHED]
    used = [f"{ec2}::image/*", f"{ec2}::snapshot/*", *(f"{ec2}:*:{kind}/*" for kind in _USED)]
    yield _allow("LaunchWith", _LAUNCH, used)
    yield _allow("LaunchFromTemplates", _LAUNCH, f"{ec2}:*:launch-template/*") | {"Condition": tagged}
    yield _allow("Launch", (*_LAUNCH, "ec2:CreateLaunchTemplate"), launched) | {"Condition": asked}
    created = {"ec2:CreateAction": ["RunInstances", "CreateFleet", "CreateLaunchTemplate"]}
    at_creation = {**asked, "StringEquals": {**asked["StringEquals"], **created}}
    yield _allow("TagAtLaunch", ["ec2:CreateTags"], launched) | {"Condition": at_creation}
    yield _allow("TagInstances", ["ec2:CreateTags"], f"{ec2}:*:instance/*") | {
        "Condition": {
            **tagged,
            "StringEqualsIfExists": {"aws:RequestTag/eks:eks-cluster-name": cluster_name},
            "ForAllValues:StringEquals": {
                "aws:TagKeys": ["eks:eks-cluster-name", "karpenter.sh/nodeclaim", "Name"]
            },
        }
    }
    ended = [f"{ec2}:*:instance/*", f"{ec2}:*:launch-template/*"]
    yield _allow("End", ["ec2:TerminateInstances", "ec2:DeleteLaunchTemplate"], ended) | {"Condition": tagged}


def _reading(arn: str, region: str, cluster_name: str) -> Iterator[Statement]:
    here = {"Condition": {"StringEquals": {"aws:RequestedRegion": region}}}
    yield _allow("Read", _READ, "*") | here
    yield _allow("ReadImages", ["ssm:GetParameter"], f"{arn}:ssm:{region}::parameter/aws/service/*")
    yield _allow("ReadPrices", ["pricing:GetProducts"], "*")
    yield _allow("ListInstanceProfiles", ["iam:ListInstanceProfiles"], "*")
    yield _allow("ReadInstanceProfiles", ["iam:GetInstanceProfile"], f"{arn}:iam::*:instance-profile/*")
    yield _allow("FindCluster", ["eks:DescribeCluster"], f"{arn}:eks:{region}:*:cluster/{cluster_name}")


def _allow(sid: str, actions: Sequence[str], resources: str | Sequence[str]) -> dict[str, Any]:
    targets = resources if isinstance(resources, str) else [*resources]
    return {"Sid": sid, "Effect": "Allow", "Action": [*actions], "Resource": targets}
