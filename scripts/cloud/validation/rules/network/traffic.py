"""The traffic that a security group's rules allow; a rule is inline or a separate resource."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass

from scripts.cloud.validation.later import is_later
from scripts.cloud.validation.rules.reading import Properties, structures_at
from scripts.cloud.validation.rules.registry import Resource, Sibling

GROUP = "AWS::EC2::SecurityGroup"
_ALL = "-1"
_TCP = ("tcp", "6")


@dataclass(frozen=True, slots=True)
class Direction:
    """A traffic direction: its rule type, and the properties that refer to the other side of the traffic."""

    name: str
    inline: str
    peer: str
    prefixes: str


INGRESS = Direction("ingress", "SecurityGroupIngress", "SourceSecurityGroupId", "SourcePrefixListId")
EGRESS = Direction("egress", "SecurityGroupEgress", "DestinationSecurityGroupId", "DestinationPrefixListId")
DIRECTIONS = (INGRESS, EGRESS)


def rules_of(resource: Resource, group: Sibling, direction: Direction) -> Iterator[Properties]:
    """Yield each rule of a group in one direction. A group without inline egress rules allows all egress."""
    yield from (found for _, found in structures_at(group.properties, direction.inline))
    if direction is EGRESS and group.properties.get(direction.inline) is None:
        yield {"IpProtocol": _ALL, "CidrIp": "0.0.0.0/0"}
    for other in resource.of_type(f"AWS::EC2::{direction.inline}"):
        if group.is_called(other.properties.get("GroupId")):
            yield other.properties


def is_of_all(rule: Properties) -> bool:
    """Return whether a rule covers all protocols and ports."""
    return str(rule.get("IpProtocol")) == _ALL


def lets_tcp(rule: Properties, port: int) -> bool:
    """Return whether a rule allows a TCP port; True if the rule is not known yet."""
    if is_of_all(rule) or is_later(rule.get("IpProtocol")):
        return True
    first, last = rule.get("FromPort"), rule.get("ToPort")
    if str(rule.get("IpProtocol")) not in _TCP:
        return False
    return not (isinstance(first, int) and isinstance(last, int)) or first <= port <= last


def reaches(rule: Properties, direction: Direction, peers: list[Sibling], block: str | None) -> bool:
    """Return whether a rule allows one of the groups or the whole subnet; True if this is not known yet."""
    peer, cidr = rule.get(direction.peer), rule.get("CidrIp")
    if rule.get(direction.prefixes) is not None or is_later(cidr):
        return True
    if isinstance(cidr, str):
        return block is None or _covers(cidr, block)
    return any(group.is_called(peer) for group in peers)


def _covers(cidr: str, block: str) -> bool:
    try:
        return ipaddress.IPv4Network(block).subnet_of(ipaddress.IPv4Network(cidr, strict=False))
    except ValueError:
        return True  # NET008 and the service report an invalid CIDR block
