"""Security group rules of all templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from config.proof.artefacts import Artefacts, Found, text_of
from config.proof.model import Place

Direction = Literal["in", "out"]

_GROUP = "AWS::EC2::SecurityGroup"
_SEPARATE: Mapping[str, Direction] = {
    "AWS::EC2::SecurityGroupIngress": "in",
    "AWS::EC2::SecurityGroupEgress": "out",
}
_PEERS: Mapping[Direction, str] = {"in": "SourceSecurityGroupId", "out": "DestinationSecurityGroupId"}
_INLINE: Mapping[Direction, str] = {"in": "SecurityGroupIngress", "out": "SecurityGroupEgress"}
_WORDS: Mapping[Direction, str] = {"in": "from", "out": "to"}


@dataclass(frozen=True, slots=True)
class Rule:
    """A security group rule. `peer` is the group that it allows; None if the rule allows addresses.

    `resource` is set if the rule is a separate resource.
    """

    group: str
    direction: Direction
    protocol: str
    peer: str | None
    cidr: str | None
    place: Place
    resource: str | None


@dataclass(frozen=True, slots=True)
class Rules:
    """All rules of all templates."""

    rules: tuple[Rule, ...] = field(default=())

    def between(self, group: str, direction: Direction, peer: str) -> Rule | None:
        """Return the rule of a group that allows all traffic from or to the group `peer`; None if missing."""
        return next(
            (
                rule
                for rule in self.rules
                if (rule.group, rule.direction, rule.peer, rule.protocol) == (group, direction, peer, "-1")
            ),
            None,
        )

    def resources(self, group: str, direction: Direction, peer: str) -> list[str]:
        """Return the names of a group's separate rule resources whose other group is `peer`."""
        return [
            rule.resource
            for rule in self.rules
            if (rule.group, rule.direction, rule.peer) == (group, direction, peer) and rule.resource
        ]

    def fault(self, group: str, direction: Direction, peer: str) -> str:
        """Return a message about a missing rule, and about an existing rule that does not suffice."""
        word, named = _WORDS[direction], "itself" if peer == group else short(peer)
        for rule in self.rules:
            if (rule.group, rule.direction, rule.peer) == (group, direction, peer):
                return f"{short(group)} allows only protocol {rule.protocol} {word} {named}"
        wide = any(r.cidr and (r.group, r.direction) == (group, direction) for r in self.rules)
        evidence = f"{short(group)} has no rule {word} {named} by the group's id"
        return f"{evidence}: rules for addresses, even 0.0.0.0/0, do not apply to EFA" if wide else evidence


def short(key: str) -> str:
    """Return the name of a group for messages: its logical id, or its id in the profile."""
    return key.rpartition("/")[2]


def rules_of(artefacts: Artefacts) -> Rules:
    """Read the rules of all templates."""
    return Rules((*_inline(artefacts), *_separate(artefacts)))


def _inline(artefacts: Artefacts) -> Iterator[Rule]:
    for group in artefacts.resources(_GROUP):
        for direction, key in _INLINE.items():
            for found in group.items(key):
                yield _rule(artefacts, group.key, group.stack, direction, found, None)


def _separate(artefacts: Artefacts) -> Iterator[Rule]:
    for kind, direction in _SEPARATE.items():
        for resource in artefacts.resources(kind):
            group = artefacts.target(resource.get("GroupId"), resource.stack)
            found = resource.properties
            yield _rule(artefacts, group, resource.stack, direction, found, resource.key)


def _rule(
    artefacts: Artefacts, group: str, stack: str, direction: Direction, found: Found, resource: str | None
) -> Rule:
    peer = found.get(_PEERS[direction])
    return Rule(
        group=group,
        direction=direction,
        protocol=str(found.get("IpProtocol")),
        peer=None if peer is None else artefacts.target(peer, stack),
        cidr=text_of(found.get("CidrIp") or found.get("CidrIpv6")) or None,
        place=found.place,
        resource=resource,
    )
