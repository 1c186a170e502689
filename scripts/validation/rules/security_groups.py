"""Security groups of EFA interfaces: what EFA file systems and clusters need of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from config.catalog import catalog
from config.rules import deployed

from .registry import Refusal, Resource, Sibling, rule

_GROUP = "AWS::EC2::SecurityGroup"
_SYSTEM, _CLUSTER = "AWS::FSx::FileSystem", "AWS::SageMaker::Cluster"
_DIRECTIONS = (
    ("ingress", "SecurityGroupIngress", "SourceSecurityGroupId"),
    ("egress", "SecurityGroupEgress", "DestinationSecurityGroupId"),
)


@rule(deployed.SELF_RULES, _SYSTEM, _CLUSTER)
def groups_allow_themselves(resource: Resource) -> Iterator[Refusal]:
    """Self rules in both directions, of every group that this stack makes."""
    if not _uses_efa(resource):
        return
    path = "SecurityGroupIds" if resource.type == _SYSTEM else "VpcConfig/SecurityGroupIds"
    given = resource.get(*path.split("/"))
    for number, group_id in enumerate(given if isinstance(given, list) else ()):
        group = next((g for g in resource.of_type(_GROUP) if group_id in g.ids), None)
        for direction, inline, peer in _DIRECTIONS if group else ():
            if group and not _allows_itself(resource, group, inline, peer):
                yield Refusal(
                    f"{path}/{number}",
                    f"the group has no {direction} rule of all traffic with itself",
                    f"add an AWS::EC2::{inline} with IpProtocol '-1' and {peer} of the group itself",
                )


def _uses_efa(resource: Resource) -> bool:
    if resource.type == _SYSTEM:
        return resource.get("LustreConfiguration", "EfaEnabled") is True
    groups: Any = resource.properties.get("InstanceGroups") or []
    types = [catalog().instance(str(group.get("InstanceType", "")).removeprefix("ml.")) for group in groups]
    return any(found is not None and found.max_efa > 0 and found.is_gpu for found in types)


def _allows_itself(resource: Resource, group: Sibling, inline: str, peer: str) -> bool:
    """By a rule inside the group or beside it."""
    inside = group.properties.get(inline) or []
    beside = [
        other.properties
        for other in resource.of_type(f"AWS::EC2::{inline}")
        if other.properties.get("GroupId") in group.ids
    ]
    return any(
        str(found.get("IpProtocol")) == "-1" and found.get(peer) in group.ids for found in (*inside, *beside)
    )


RULES = (groups_allow_themselves,)
