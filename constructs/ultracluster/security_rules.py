"""Security group rules that name another group, or the group itself.

EFA addresses are not IP addresses, so only rules that name a group by id match EFA traffic (EKS-18). A rule
that refers to its own group, or two groups that refer to each other, cannot be written inside the group:
CloudFormation would see a circular reference.
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
    """A kind of traffic.

    Attributes:
        name: Part of the logical ids of rules that allow it.
        description: Description of the rules.
        properties: Protocol and ports as CloudFormation names them.
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

#: Ports of NFS as OpenZFS serves it: remote procedure calls, NFS, and mount, status and lock daemons. Source:
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
    """A database that speaks MySQL's protocol."""
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
    """Let a group exchange traffic with another; the peer's own rules are not touched.

    `directions`: `Egress` alone lets the group begin traffic, `Ingress` alone lets it answer.
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
    """Let the members of a group exchange traffic among themselves, both ways."""
    return add_peer_rules(scope, group_id, group_id, traffic, prefix="Self", retention=retention)


def inline_peer_rules(peer_id: str, traffic: Sequence[Traffic]) -> dict[str, Any]:
    """The same two ways as properties of the group itself, for a peer that does not refer back."""
    return {
        f"SecurityGroup{direction}": [
            {peer: peer_id, "Description": kind.description, **kind.properties} for kind in traffic
        ]
        for direction, peer in _PEERS.items()
    }
