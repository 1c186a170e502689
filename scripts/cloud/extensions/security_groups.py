"""Rules of security groups: two rules that differ in their description alone are one, as EC2 has it."""

from __future__ import annotations

from typing import Any

from moto.ec2.models.security_groups import SecurityGroupRule

from .patch import add

_PEER = ("CidrIp", "CidrIpv6")


def _identity(rule: SecurityGroupRule) -> tuple[Any, ...]:
    ports = () if rule.ip_protocol == "-1" else (rule.from_port, rule.to_port)
    cidrs = tuple(rule.ip_range.get(name) for name in _PEER)
    group = rule.source_group.get("GroupId") or rule.source_group.get("GroupName")
    return (rule.ip_protocol, ports, cidrs, group, rule.prefix_list_id)


def _equal(self: SecurityGroupRule, other: object) -> bool:
    return isinstance(other, SecurityGroupRule) and _identity(self) == _identity(other)


def _description(self: SecurityGroupRule) -> str | None:
    return self.ip_range.get("Description") or self.source_group.get("Description")


def install() -> None:
    """Compare rules so, and tell the description of those between groups."""
    add(SecurityGroupRule, __eq__=_equal)
    setattr(SecurityGroupRule, "description", property(_description))  # noqa: B010 - moto has it read-only
