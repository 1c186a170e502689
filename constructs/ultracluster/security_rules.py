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


def add_peer_rules(
    scope: Construct,
    group_id: str,
    peer_id: str,
    traffic: Sequence[Traffic],
    *,
    prefix: str,
    retention: Retention,
) -> tuple[CfnResource, ...]:
    """Let a group exchange traffic with another, both ways; the peer's own rules are not touched."""
    ways: tuple[tuple[Literal["Egress", "Ingress"], str], ...] = (
        ("Ingress", "SourceSecurityGroupId"),
        ("Egress", "DestinationSecurityGroupId"),
    )
    return tuple(
        rule
        for kind in traffic
        for direction, peer in ways
        for rule in _one_way(scope, direction, group_id, {peer: peer_id}, (kind,), prefix, retention)
    )


def add_egress_rules(
    scope: Construct,
    group_id: str,
    peer_id: str,
    traffic: Sequence[Traffic],
    *,
    prefix: str,
    retention: Retention,
) -> tuple[CfnResource, ...]:
    """Let a group begin traffic with another, which need not be able to begin any itself."""
    peer = {"DestinationSecurityGroupId": peer_id}
    return _one_way(scope, "Egress", group_id, peer, traffic, prefix, retention)


def add_ingress_rules(
    scope: Construct,
    group_id: str,
    peer_id: str,
    traffic: Sequence[Traffic],
    *,
    prefix: str,
    retention: Retention,
) -> tuple[CfnResource, ...]:
    """Let a group answer traffic that another begins."""
    return _one_way(
        scope, "Ingress", group_id, {"SourceSecurityGroupId": peer_id}, traffic, prefix, retention
    )


def _one_way(
    scope: Construct,
    direction: Literal["Egress", "Ingress"],
    group_id: str,
    peer: dict[str, str],
    traffic: Sequence[Traffic],
    prefix: str,
    retention: Retention,
) -> tuple[CfnResource, ...]:
    return tuple(
        add_resource(
            scope,
            f"{prefix}{direction}-{kind.name}",
            f"AWS::EC2::SecurityGroup{direction}",
            {"GroupId": group_id, "Description": kind.description, **kind.properties, **peer},
            retention=retention,
        )
        for kind in traffic
    )


def add_self_rules(
    scope: Construct, group_id: str, traffic: Sequence[Traffic], *, retention: Retention
) -> tuple[CfnResource, ...]:
    """Let the members of a group exchange traffic among themselves, both ways."""
    return add_peer_rules(scope, group_id, group_id, traffic, prefix="Self", retention=retention)


def inline_peer_rules(peer_id: str, traffic: Sequence[Traffic]) -> dict[str, Any]:
    """The same two ways as properties of the group itself, for a peer that does not refer back."""
    return {
        "SecurityGroupIngress": [
            {"SourceSecurityGroupId": peer_id, "Description": kind.description, **kind.properties}
            for kind in traffic
        ],
        "SecurityGroupEgress": [
            {"DestinationSecurityGroupId": peer_id, "Description": kind.description, **kind.properties}
            for kind in traffic
        ],
    }
