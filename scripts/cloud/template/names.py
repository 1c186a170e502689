"""Names and other values that only one resource at a time can have.

A replacement creates the new resource before it deletes the old one. If both need the same unique value, then
CloudFormation or the service rejects the replacement.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .provider_schemas import known_schema
from .schema import is_create_only, value_at

CUSTOM_NAMES = "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-name.html"
DELETED_FIRST = "delete_then_create"
_SUBNETS = "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSubnet.html"
_LINKS = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html"
_FLOW_LOGS = "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateFlowLogs.html"
_GATEWAYS = "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateNatGateway.html"

# Names that the service requires to be unique, although the schema identifies the resource by an id or ARN.
# The template reference of each type documents this for the name.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "AWS::APS::RuleGroupsNamespace": ("Workspace", "Name"),
    "AWS::EC2::LaunchTemplate": ("LaunchTemplateName",),
    "AWS::EC2::SecurityGroup": ("VpcId", "GroupName"),
    "AWS::EKS::Nodegroup": ("ClusterName", "NodegroupName"),
    "AWS::IAM::ManagedPolicy": ("ManagedPolicyName",),
    "AWS::PCS::Cluster": ("Name",),
    "AWS::PCS::ComputeNodeGroup": ("ClusterId", "Name"),
    "AWS::PCS::Queue": ("ClusterId", "Name"),
    "AWS::SageMaker::ClusterSchedulerConfig": ("ClusterArn", "Name"),
    "AWS::SecretsManager::Secret": ("Name",),
    "AWS::SNS::Topic": ("TopicName",),
    "AWS::SQS::Queue": ("QueueName",),
}
# values that only one resource can have, the name of the resource and of the value, and the source
_SLOTS: Mapping[str, tuple[tuple[tuple[str, ...], str, str, str], ...]] = {
    "AWS::EC2::NatGateway": ((("AllocationId",), "NAT gateway", "Elastic IP address", _GATEWAYS),),
    "AWS::EC2::FlowLog": (
        (("ResourceId", "TrafficType", "LogGroupName"), "flow log", "log group", _FLOW_LOGS),
        (
            ("ResourceId", "TrafficType", "LogDestination"),
            "flow log",
            "destination",
            _FLOW_LOGS,
        ),
    ),
    "AWS::FSx::DataRepositoryAssociation": (
        (("FileSystemId", "FileSystemPath"), "association", "directory", _LINKS),
        (("FileSystemId", "DataRepositoryPath"), "association", "S3 prefix", _LINKS),
    ),
}


@dataclass(frozen=True)
class Held:
    """A unique value of a resource; `what` is the reason why a replacement with the same value fails."""

    key: tuple[str, ...]
    what: str
    source: str
    custom_name: bool

    @property
    def value(self) -> str:
        """The unique value, without the type."""
        return self.key[-1]


def replaced_in_order(region: str, resource_type: str) -> str:
    """Return the order of a replacement: `create_then_delete`, or for few types `delete_then_create`."""
    return str((known_schema(region, resource_type) or {}).get("replacementStrategy", "create_then_delete"))


def held(region: str, resource_type: str, properties: Mapping[str, Any]) -> Iterator[Held]:
    """Given a resource's properties, yield the values that must be unique, such as names."""
    for paths in _identifiers(region, resource_type):
        key = _key(resource_type, paths, properties)
        if key is not None:
            what = f"CloudFormation does not replace a custom-named resource that keeps the name {key[-1]}"
            yield Held(key, what, CUSTOM_NAMES, True)
    for names, user, slot, source in _SLOTS.get(resource_type, ()):
        key = _key(resource_type, tuple((name,) for name in names), properties)
        if key is not None:
            what = f"the new {user} cannot use the {slot} {key[-1]} while the old one still uses it"
            yield Held(key, what, source, False)


def in_the_way(
    region: str, resource_type: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Held | None:
    """Return the unique value that prevents a replacement; None if there is none."""
    if replaced_in_order(region, resource_type) == DELETED_FIRST:
        return None
    old = {found.key for found in held(region, resource_type, before)}
    kept = (found for found in held(region, resource_type, after) if found.key in old)
    return next(kept, None) or _overlap(resource_type, before, after)


def _overlap(resource_type: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Held | None:
    """Return the CIDR block of the old subnet if the new subnet overlaps it."""
    if resource_type != "AWS::EC2::Subnet" or before.get("VpcId") != after.get("VpcId"):
        return None
    blocks = [str(side.get("CidrBlock")) for side in (before, after)]
    try:
        old, new = (ipaddress.ip_network(block) for block in blocks)
    except ValueError:
        return None
    if not (isinstance(old, ipaddress.IPv4Network) and isinstance(new, ipaddress.IPv4Network)):
        return None
    what = f"the new subnet cannot overlap {old} while the old subnet still uses it"
    return Held((resource_type, str(old)), what, _SUBNETS, False) if old.overlaps(new) else None


def _key(
    resource_type: str, paths: tuple[tuple[str, ...], ...], properties: Mapping[str, Any]
) -> tuple[str, ...] | None:
    values = tuple(value_at(properties, path) for path in paths)
    if not all(isinstance(value, str) and value for value in values):
        return None
    return (resource_type, "/".join(paths[-1]), *values)


def _identifiers(region: str, resource_type: str) -> Iterator[tuple[tuple[str, ...], ...]]:
    schema = known_schema(region, resource_type) or {}
    if resource_type in _NAMES:
        yield tuple((name,) for name in _NAMES[resource_type])
    for pointers in (schema.get("primaryIdentifier", []), *schema.get("additionalIdentifiers", [])):
        paths = tuple(tuple(p.removeprefix("/properties/").split("/")) for p in pointers)
        if paths and all(is_create_only(region, resource_type, path) for path in paths):
            yield paths
