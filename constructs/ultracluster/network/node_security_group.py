"""The security group of the machines of a cluster."""

from dataclasses import dataclass
from typing import Any

from constructs import Construct

from ultracluster.cfn import Tagged, add_security_group, https_rule, tag_list
from ultracluster.retention import Retention
from ultracluster.security_rules import ALL_TRAFFIC, add_self_rules


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSecurityGroupProps(Tagged):
    """What the machines of a cluster may reach.

    All traffic among the members is always allowed, both ways and by group id: EFA needs it, and a CIDR rule,
    even 0.0.0.0/0, does not count for it (HYPERPOD-07, EKS-18).

    Attributes:
        vpc_id: The VPC.
        name: The Name tag; the group's own name is generated.
        description: Says what the group is for. Changing it replaces the group.
        retention: Whether the group and its rules outlive the stack, as they must where a retained file
            system names the group.
        internet_egress: Whether all traffic to 0.0.0.0/0 is allowed. True by default. If False, only the VPC
            and TCP 443 are (the S3 gateway endpoint answers on public addresses, and a closed VPC has no
            route to any other).
        vpc_cidr: The VPC's block; needed if `internet_egress` is False.
    """

    vpc_id: str
    name: str
    description: str
    retention: Retention
    internet_egress: bool = True
    vpc_cidr: str | None = None


class NodeSecurityGroup(Construct):
    """A security group whose members may exchange anything, EFA traffic included.

    Attributes:
        security_group_id: The group.
        rules: The rules to itself. They are separate resources, so what checks the group's rules when it is
            created (a file system, a HyperPod cluster) must depend on them.
    """

    def __init__(self, scope: Construct, construct_id: str, props: NodeSecurityGroupProps) -> None:
        """Create the group and its rules; raises ValueError if a closed group has no VPC block."""
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
        raise ValueError("vpc_cidr is None although internet_egress is False: give the VPC's IPv4 block")
    return [
        {"CidrIp": props.vpc_cidr, "IpProtocol": "-1", "Description": "VPC"},
        https_rule("0.0.0.0/0", "S3 through its gateway endpoint"),
    ]
