"""One resource of each type: what it stands on, one change of it, and where its service shows the change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Resources = Mapping[str, Mapping[str, Any]]
Client = Callable[[str], Any]


@dataclass(frozen=True, kw_only=True)
class Example:
    """A resource of one type among those that it stands on.

    `change` is merged into its properties; `seen` asks the service for what `change` made of it, given
    clients and the physical id. A type whose every change replaces it has neither.
    `not_told` are read-only attributes that the model leaves out, since no template can need them.
    """

    type: str
    properties: Mapping[str, Any] = field(default_factory=dict)
    stands_on: Resources = field(default_factory=dict)
    change: Mapping[str, Any] | None = None
    seen: Callable[[Client, str], Any] | None = None
    expected: Any = None
    not_reported: frozenset[str] = frozenset()
    drifts: bool = True
    depends_on: str | None = None

    def resources(self, **change: Any) -> dict[str, Any]:
        """The resources of a template; the one of this type is called Subject."""
        properties = {**self.properties, **change}
        after = {"DependsOn": self.depends_on} if self.depends_on else {}
        return {**self.stands_on, "Subject": {"Type": self.type, "Properties": properties, **after}}


def resource(kind: str, **properties: Any) -> dict[str, Any]:
    return {"Type": kind, "Properties": properties}


def ref(name: str) -> dict[str, str]:
    return {"Ref": name}


def att(name: str, attribute: str) -> dict[str, list[str]]:
    return {"Fn::GetAtt": [name, attribute]}


def trusted(*services: str) -> dict[str, Any]:
    """The trust policy of a role that these services take on."""
    principals = [f"{service}.amazonaws.com" for service in services]
    statement = {"Effect": "Allow", "Principal": {"Service": principals}, "Action": "sts:AssumeRole"}
    return {"Version": "2012-10-17", "Statement": [statement]}


def allowed(action: str, resource_arn: Any = "*", **more: Any) -> dict[str, Any]:
    statement = {"Effect": "Allow", "Action": action, "Resource": resource_arn, **more}
    return {"Version": "2012-10-17", "Statement": [statement]}


VPC = {"Vpc": resource("AWS::EC2::VPC", CidrBlock="10.0.0.0/16")}
NETWORK = {
    **VPC,
    "Subnet": resource(
        "AWS::EC2::Subnet", VpcId=ref("Vpc"), CidrBlock="10.0.0.0/20", AvailabilityZone="us-east-1a"
    ),
    "Second": resource(
        "AWS::EC2::Subnet", VpcId=ref("Vpc"), CidrBlock="10.0.16.0/20", AvailabilityZone="us-east-1b"
    ),
    "Group": resource(
        "AWS::EC2::SecurityGroup",
        GroupDescription="nodes and Lustre servers",
        VpcId=ref("Vpc"),
        SecurityGroupIngress=[
            {"IpProtocol": "tcp", "FromPort": 988, "ToPort": 1023, "CidrIp": "10.0.0.0/16"}
        ],
    ),
}
ROLE = {
    "Role": resource("AWS::IAM::Role", AssumeRolePolicyDocument=trusted("ec2", "lambda", "eks", "pods.eks"))
}
BUCKET = {"Bucket": resource("AWS::S3::Bucket")}
LOGS = {"Logs": resource("AWS::Logs::LogGroup")}
