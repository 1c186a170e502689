"""Security group rules for traffic between a group and another group, or within the group.

EFA addresses are not IP addresses, so only rules with a group id match EFA traffic (EKS-18). A rule must be a
separate resource if it refers to its own group, or if two groups refer to each other. As properties of the
groups, such rules would be a circular reference, which CloudFormation rejects.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from aws_cdk import CfnResource
from constructs import Construct

from ultracluster.cfn import add_resource
from ultracluster.retention import Retention


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """A type of traffic.

    Attributes:
        name: Part of the logical ids of rules that allow the traffic.
        description: Description of the rules.
        properties: Protocol and ports, with CloudFormation's names.
    """

    name: str
    description: str
    properties: dict[str, Any]


ALL_TRAFFIC = (Traffic(name="All", description="All traffic, EFA included", properties={"IpProtocol": "-1"}),)

#: Ports of Lustre. Source:
#: https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html
LUSTRE_TRAFFIC = (
    Traffic(
        name="988",
        description="Lustre",
        properties={"IpProtocol": "tcp", "FromPort": 988, "ToPort": 988},
    ),
    Traffic(
        name="1018-1023",
        description="Lustre",
        properties={"IpProtocol": "tcp", "FromPort": 1018, "ToPort": 1023},
    ),
)

#: Ports of NFS on OpenZFS: remote procedure calls, NFS, and the mount, status and lock daemons. Source:
#: https://docs.aws.amazon.com/fsx/latest/OpenZFSGuide/limit-access-security-groups.html
NFS_TRAFFIC = tuple(
    Traffic(
        name=f"{protocol}-{name}",
        description=description,
        properties={"IpProtocol": protocol, "FromPort": first, "ToPort": last},
    )
    for protocol in ("tcp", "udp")
    for name, first, last, description in (
        ("111", 111, 111, "Remote procedure calls of NFS"),
        ("2049", 2049, 2049, "NFS"),
        ("20001-20003", 20001, 20003, "Mount, status and lock of NFS"),
    )
)


def mysql_traffic(port: int) -> tuple[Traffic, ...]:
    """Return the traffic of a MySQL database."""
    properties = {"IpProtocol": "tcp", "FromPort": port, "ToPort": port}
    return (Traffic(name=str(port), description="MySQL", properties=properties),)


Direction = Literal["Ingress", "Egress"]
_PEERS: dict[Direction, str] = {"Ingress": "SourceSecurityGroupId", "Egress": "DestinationSecurityGroupId"}


def add_peer_rules(
    scope: Construct,
    group_id: str,
    peer_id: str,
    traffic: Sequence[Traffic],
    *,
    prefix: str,
    retention: Retention,
    directions: Sequence[Direction] = ("Ingress", "Egress"),
) -> tuple[CfnResource, ...]:
    """Allow traffic between a group and its peer; the rules of the peer do not change.

    `directions`: `Egress` allows connections from the group, `Ingress` allows connections to it.
    """
    return tuple(
        add_resource(
            scope,
            f"{prefix}{direction}-{kind.name}",
            f"AWS::EC2::SecurityGroup{direction}",
            {
                "GroupId": group_id,
                "Description": kind.description,
                **kind.properties,
                _PEERS[direction]: peer_id,
            },
            retention=retention,
        )
        for kind in traffic
        for direction in directions
    )


def add_self_rules(
    scope: Construct, group_id: str, traffic: Sequence[Traffic], *, retention: Retention
) -> tuple[CfnResource, ...]:
    """Allow traffic between the members of a group, in both directions."""
    return add_peer_rules(scope, group_id, group_id, traffic, prefix="Self", retention=retention)


def inline_peer_rules(peer_id: str, traffic: Sequence[Traffic]) -> dict[str, Any]:
    """Return the rules as properties of the group, for a peer that does not refer to the group."""
    return {
        f"SecurityGroup{direction}": [
            {peer: peer_id, "Description": kind.description, **kind.properties} for kind in traffic
        ]
        for direction, peer in _PEERS.items()
    }
