"""Security groups and their rules, over moto's EC2."""

# ruff: noqa: D102 - create, update and delete are described by Model

from __future__ import annotations

from typing import Any

from .base import Context, Created, Existing, Model, Properties, only
from .ec2_tags import retag, tag_specifications

_SOURCES = {
    "CidrIp": ("IpRanges", "CidrIp"),
    "CidrIpv6": ("Ipv6Ranges", "CidrIpv6"),
    "SourcePrefixListId": ("PrefixListIds", "PrefixListId"),
    "DestinationPrefixListId": ("PrefixListIds", "PrefixListId"),
    "SourceSecurityGroupId": ("UserIdGroupPairs", "GroupId"),
    "DestinationSecurityGroupId": ("UserIdGroupPairs", "GroupId"),
}
_EVERYWHERE = {"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}


def permission(rule: Properties) -> dict[str, Any]:
    """A rule as the EC2 API takes it: one protocol, one peer."""
    result: dict[str, Any] = only(rule, "IpProtocol", "FromPort", "ToPort")
    described = only(rule, "Description")
    for name, (group, key) in _SOURCES.items():
        if name in rule:
            result[group] = [{key: rule[name], **described}]
    return result


class SecurityGroup(Model):
    """A security group with the rules written inside it."""

    type = "AWS::EC2::SecurityGroup"

    def create(self, context: Context, properties: Properties) -> Created:
        ec2 = context.client("ec2")
        name = properties.get("GroupName") or context.generated_name(255)
        if "VpcId" in properties:
            ec2.describe_vpcs(VpcIds=[properties["VpcId"]])  # moto makes groups in a VPC that is not there
        group_id = ec2.create_security_group(
            GroupName=name,
            Description=properties["GroupDescription"],
            **only(properties, "VpcId"),
            **tag_specifications("security-group", context, properties),
        )["GroupId"]
        context.claim(group_id)
        self._allow(ec2, group_id, properties)
        if properties.get("SecurityGroupEgress"):
            ec2.revoke_security_group_egress(GroupId=group_id, IpPermissions=[_EVERYWHERE])
            outgoing = [permission(rule) for rule in properties["SecurityGroupEgress"]]
            ec2.authorize_security_group_egress(GroupId=group_id, IpPermissions=outgoing)
        attributes = {"GroupId": group_id, "Id": group_id, "GroupName": name}
        return Created(group_id, attributes | only(properties, "VpcId"))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        ec2, group_id = context.client("ec2"), existing.physical_id
        self._forbid(ec2, group_id, existing.properties)
        self._allow(ec2, group_id, properties)
        before, after = (p.get("SecurityGroupEgress") or [] for p in (existing.properties, properties))
        if before != after:
            old = [permission(rule) for rule in before] or [_EVERYWHERE]
            new = [permission(rule) for rule in after] or [_EVERYWHERE]
            ec2.revoke_security_group_egress(GroupId=group_id, IpPermissions=old)
            ec2.authorize_security_group_egress(GroupId=group_id, IpPermissions=new)
        retag(context, group_id, existing.properties, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("ec2").delete_security_group(GroupId=existing.physical_id)

    @staticmethod
    def _allow(ec2: Any, group_id: str, properties: Properties) -> None:
        incoming = [permission(rule) for rule in properties.get("SecurityGroupIngress") or []]
        if incoming:
            ec2.authorize_security_group_ingress(GroupId=group_id, IpPermissions=incoming)

    @staticmethod
    def _forbid(ec2: Any, group_id: str, properties: Properties) -> None:
        incoming = [permission(rule) for rule in properties.get("SecurityGroupIngress") or []]
        if incoming:
            ec2.revoke_security_group_ingress(GroupId=group_id, IpPermissions=incoming)


class _Rule(Model):
    """A rule that stands beside its group, so that groups may refer to each other."""

    direction: str

    def create(self, context: Context, properties: Properties) -> Created:
        allow = getattr(context.client("ec2"), f"authorize_security_group_{self.direction}")
        answer = allow(GroupId=properties["GroupId"], IpPermissions=[permission(properties)])
        rule_id = answer["SecurityGroupRules"][0]["SecurityGroupRuleId"]
        return Created(rule_id, {"Id": rule_id})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        self.delete(context, existing)
        return self.create(context, properties).attributes

    def delete(self, context: Context, existing: Existing) -> None:
        forbid = getattr(context.client("ec2"), f"revoke_security_group_{self.direction}")
        group_id = existing.properties["GroupId"]
        forbid(GroupId=group_id, IpPermissions=[permission(existing.properties)])


class SecurityGroupIngress(_Rule):
    """What a group lets in."""

    type = "AWS::EC2::SecurityGroupIngress"
    direction = "ingress"


class SecurityGroupEgress(_Rule):
    """What a group lets out."""

    type = "AWS::EC2::SecurityGroupEgress"
    direction = "egress"


MODELS = (SecurityGroup(), SecurityGroupIngress(), SecurityGroupEgress())
