"""The security group of the machines of a cluster."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ultracluster.retention import Retention


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSecurityGroupProps:
    """What the machines of a cluster may reach.

    All traffic among the members is always allowed, both ways and by group id: EFA needs it, and a CIDR rule,
    even 0.0.0.0/0, does not count for it (HYPERPOD-07, EKS-18).

    Attributes:
        vpc_id: The VPC.
        name: The Name tag; the group's own name is generated.
        description: Says what the group is for. Changing it replaces the group.
        retention: Whether the group and its rules outlive the stack, as they must where a retained file system
            names the group.
        internet_egress: Whether all traffic to 0.0.0.0/0 is allowed. True by default. If False, only the VPC
            and TCP 443 are (the S3 gateway endpoint answers on public addresses, and a closed VPC has no route
            to any other).
        vpc_cidr: The VPC's block; needed if `internet_egress` is False.
        tags: Tags of the group.
    """

    vpc_id: str
    name: str
    description: str
    retention: Retention
    internet_egress: bool = True
    vpc_cidr: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)


# class NodeSecurityGroup(Construct): security_group_id: str; rules: tuple[CfnResource, ...]
