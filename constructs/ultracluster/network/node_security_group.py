"""Security group of a cluster's nodes."""

from dataclasses import dataclass
from typing import Any

from constructs import Construct

from ultracluster.cfn import Tagged, add_security_group, https_rule, tag_list
from ultracluster.retention import Retention
from ultracluster.security_rules import ALL_TRAFFIC, add_self_rules


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSecurityGroupProps(Tagged):
    """Properties of the nodes' security group.

    Rules that refer to the group's id allow all traffic between the members, in both directions. EFA requires
    these rules; a CIDR rule is not sufficient, not even 0.0.0.0/0 (HYPERPOD-07, EKS-18).

    Attributes:
        vpc_id: Id of the VPC.
        name: Name tag; the group's name is generated.
        description: Description of the group. Changing it replaces the group.
        retention: Whether the group and its rules are retained when the stack is deleted. Required if a
            retained file system uses the group.
        internet_egress: Whether all traffic to 0.0.0.0/0 is allowed. True by default. If False, only traffic
            to the VPC and TCP 443 is allowed (the S3 gateway endpoint has public addresses, and a closed VPC
            does not have routes to other public addresses).
        vpc_cidr: CIDR block of the VPC; required if `internet_egress` is False.
    """

    vpc_id: str
    name: str
    description: str
    retention: Retention
    internet_egress: bool = True
    vpc_cidr: str | None = None


class NodeSecurityGroup(Construct):
    """A security group whose members can exchange all traffic, including EFA.

    Attributes:
        security_group_id: Id of the group.
        rules: The rules between members. The rules are separate resources. A resource that checks the rules
            at its creation (a file system, a HyperPod cluster) must depend on them.
    """

    def __init__(self, scope: Construct, construct_id: str, props: NodeSecurityGroupProps) -> None:
        """Create the group and its rules; raises ValueError if a closed group has no `vpc_cidr`."""
        super().__init__(scope, construct_id)
        self.security_group_id = add_security_group(
            self,
            "Resource",
            vpc_id=props.vpc_id,
            description=props.description,
            rules={"SecurityGroupEgress": _egress_rules(props)},
            tags=tag_list(props.tags, props.name),
            retention=props.retention,
        )
        self.rules = add_self_rules(self, self.security_group_id, ALL_TRAFFIC, retention=props.retention)


def _egress_rules(props: NodeSecurityGroupProps) -> list[dict[str, Any]]:
    if props.internet_egress:
        return [{"CidrIp": "0.0.0.0/0", "IpProtocol": "-1", "Description": "Internet"}]
    if props.vpc_cidr is None:
        raise ValueError(
            "vpc_cidr is None although internet_egress is False: set it to the VPC's IPv4 CIDR block"
        )
    return [
        {"CidrIp": props.vpc_cidr, "IpProtocol": "-1", "Description": "VPC"},
        https_rule("0.0.0.0/0", "S3 through its gateway endpoint"),
    ]
