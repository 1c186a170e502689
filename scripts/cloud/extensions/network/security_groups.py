"""Security group rules: two rules that differ only in their description are equal, as in EC2."""

from __future__ import annotations

from inspect import signature
from typing import Any

from moto.ec2.models.security_groups import SecurityGroupRule

from scripts.cloud.extensions.patch import add
from scripts.cloud.extensions.records import RefusedError

_PEER = ("CidrIp", "CidrIpv6")
_WITH_PORTS = ("tcp", "6", "udp", "17")
_WITHOUT_PORTS = ("-1", "all", "None")


def _identity(rule: SecurityGroupRule) -> tuple[Any, ...]:
    ports = () if rule.ip_protocol == "-1" else (rule.from_port, rule.to_port)
    cidrs = tuple(rule.ip_range.get(name) for name in _PEER)
    group = rule.source_group.get("GroupId") or rule.source_group.get("GroupName")
    return (rule.ip_protocol, ports, cidrs, group, rule.prefix_list_id)


def _equal(self: SecurityGroupRule, other: object) -> bool:
    return isinstance(other, SecurityGroupRule) and _identity(self) == _identity(other)


def _description(self: SecurityGroupRule) -> str | None:
    return self.ip_range.get("Description") or self.source_group.get("Description")


def _with_ports(make: Any) -> Any:
    """Require ports for TCP and UDP; for other protocols, set the port -1, which moto requires."""

    def init(self: SecurityGroupRule, *args: Any, **kwargs: Any) -> None:
        bound = signature(make).bind(self, *args, **kwargs)
        arguments = bound.arguments
        protocol = str(arguments.get("ip_protocol"))
        if arguments.get("from_port") is None and protocol not in _WITHOUT_PORTS:
            if protocol in _WITH_PORTS:
                message = "Must specify both from and to ports with TCP/UDP."
                raise RefusedError("InvalidParameterValue", message)
            arguments["from_port"] = arguments["to_port"] = "-1"
        make(*bound.args, **bound.kwargs)

    return init


def install() -> None:
    """Install the port check, the comparison of rules, and the description of rules between groups."""
    add(SecurityGroupRule, __init__=_with_ports(SecurityGroupRule.__init__))
    add(SecurityGroupRule, __eq__=_equal)
    setattr(SecurityGroupRule, "description", property(_description))  # noqa: B010 - moto has it read-only
