"""Security groups and their rules, on moto's EC2."""

# ruff: noqa: D102 - Model and ApiModel describe the methods

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

from scripts.cloud.resources.base import Context, Created, Existing, Model, Properties, found, known, only

from .tags import Ec2Model

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
    """Return a rule in the form of the EC2 API: one protocol, one peer."""
    result: dict[str, Any] = only(rule, "IpProtocol", "FromPort", "ToPort")
    described = only(rule, "Description")
    for name, (group, key) in _SOURCES.items():
        if name in rule:
            result[group] = [{key: rule[name], **described}]
    return result


# tag of the rules that are separate resources; the group's own rules are read without them
_BESIDE = "ultracluster:security-group-rule"


def _rule(record: Properties) -> dict[str, Any]:
    """Return a rule with CloudFormation's property names."""
    outgoing = record["IsEgress"]
    cidr, prefix, group = (record.get(name) for name in ("CidrIpv4", "PrefixListId", "ReferencedGroupInfo"))
    names = ("DestinationPrefixListId", "DestinationSecurityGroupId")
    if not outgoing:
        names = ("SourcePrefixListId", "SourceSecurityGroupId")
    ports = {} if record["IpProtocol"] == "-1" else only(record, "FromPort", "ToPort")
    peers = {names[0]: prefix, names[1]: group and group["GroupId"]}
    return known(
        IpProtocol=record["IpProtocol"],
        **ports,
        CidrIp=cidr,
        CidrIpv6=record.get("CidrIpv6"),
        **peers,
        Description=record.get("Description"),
    )


class SecurityGroup(Ec2Model):
    """A security group with its inline rules."""

    type = "AWS::EC2::SecurityGroup"
    noun = "security_group"
    named = ("GroupName", "GroupName", 255)
    key = ("GroupId:GroupId",)
    ref = "{GroupId}"
    shown = ("GroupName", "VpcId")

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        if "VpcId" in new:  # moto creates groups in a missing VPC
            context.client("ec2").describe_vpcs(VpcIds=[new["VpcId"]])
        return {**new, "Description": new["GroupDescription"]}

    def settle(self, context: Context, client: Any, existing: Existing, properties: Properties) -> None:
        group_id = existing.physical_id
        for name, direction in (("SecurityGroupIngress", "ingress"), ("SecurityGroupEgress", "egress")):
            nothing = [_EVERYWHERE] if direction == "egress" else []
            old, new = (
                [permission(rule) for rule in p.get(name) or []] or nothing
                for p in (existing.properties, properties)
            )
            for rule in (rule for rule in old if rule not in new):
                _revoke(client, direction, group_id, rule)
            fresh = [rule for rule in new if rule not in old]
            if fresh:
                allow = getattr(client, f"authorize_security_group_{direction}")
                allow(GroupId=group_id, IpPermissions=fresh)

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        inside = [{"Name": "group-id", "Values": [existing.physical_id]}]
        listed = context.client("ec2").describe_security_group_rules(Filters=inside)["SecurityGroupRules"]
        rules = [rule for rule in listed if all(tag["Key"] != _BESIDE for tag in rule.get("Tags", []))]
        more = {
            "GroupDescription": record["Description"],
            "SecurityGroupIngress": sorted((_rule(r) for r in rules if not r["IsEgress"]), key=str),
            "SecurityGroupEgress": sorted((_rule(r) for r in rules if r["IsEgress"]), key=str),
        }
        return super().properties(context, existing, {**record, **more})


def _revoke(ec2: Any, direction: str, group_id: str, rule: Properties) -> None:
    """Remove a rule; accept that the group does not have it after a failed change."""
    try:
        getattr(ec2, f"revoke_security_group_{direction}")(GroupId=group_id, IpPermissions=[rule])
    except ClientError as error:
        if error.response["Error"]["Code"] != "InvalidPermission.NotFound":
            raise


class _Rule(Model):
    """A rule as a separate resource, so that groups can refer to each other."""

    direction: str

    def create(self, context: Context, properties: Properties) -> Created:
        allow = getattr(context.client("ec2"), f"authorize_security_group_{self.direction}")
        answer = allow(
            GroupId=properties["GroupId"],
            IpPermissions=[permission(properties)],
            TagSpecifications=[
                {
                    "ResourceType": "security-group-rule",
                    "Tags": [{"Key": _BESIDE, "Value": context.logical_id}],
                }
            ],
        )
        rule_id = answer["SecurityGroupRules"][0]["SecurityGroupRuleId"]
        return Created(rule_id, {"Id": rule_id})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        """Update the description, the only property that can change."""
        rule = {"Description": "", **properties}
        describe = getattr(context.client("ec2"), f"update_security_group_rule_descriptions_{self.direction}")
        describe(GroupId=properties["GroupId"], IpPermissions=[permission(rule)])
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        forbid = getattr(context.client("ec2"), f"revoke_security_group_{self.direction}")
        group_id = existing.properties["GroupId"]
        forbid(GroupId=group_id, IpPermissions=[permission(existing.properties)])

    def read(self, context: Context, existing: Existing) -> Properties | None:
        ask = context.client("ec2").describe_security_group_rules
        answer = found(ask, SecurityGroupRuleIds=[existing.attributes["Id"]])
        rules = answer["SecurityGroupRules"] if answer else []
        return {**only(rules[0], "GroupId"), **_rule(rules[0])} if rules else None


class SecurityGroupIngress(_Rule):
    """An ingress rule of a security group."""

    type = "AWS::EC2::SecurityGroupIngress"
    direction = "ingress"


class SecurityGroupEgress(_Rule):
    """An egress rule of a security group."""

    type = "AWS::EC2::SecurityGroupEgress"
    direction = "egress"
