"""What cannot exist twice: names that a template gives, and what a resource holds alone.

The new resource is made before the old one goes. What keeps its name, or takes what the old one still holds,
cannot be replaced so: CloudFormation refuses it, or the service does.
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
_SAME_LOG = "a flow log of the same traffic to the same place exists once"

# names that are unique by the service's rule; the schema identifies the resource by an id or ARN instead.
# Each type's page of the template reference says so at the name.
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
# what only one resource can have, why, and who says so
_SLOTS: Mapping[str, tuple[tuple[tuple[str, ...], str, str], ...]] = {
    "AWS::EC2::NatGateway": ((("AllocationId",), "an elastic IP serves one gateway", _GATEWAYS),),
    "AWS::EC2::FlowLog": (
        (("ResourceId", "TrafficType", "LogGroupName"), _SAME_LOG, _FLOW_LOGS),
        (("ResourceId", "TrafficType", "LogDestination"), _SAME_LOG, _FLOW_LOGS),
    ),
    "AWS::FSx::DataRepositoryAssociation": (
        (("FileSystemId", "FileSystemPath"), "a directory is linked once", _LINKS),
        (("FileSystemId", "DataRepositoryPath"), "a prefix in S3 is linked once to a file system", _LINKS),
    ),
}


@dataclass(frozen=True)
class Held:
    """A name, or something else, that a resource has alone: why it matters, and who says so."""

    key: tuple[str, ...]
    what: str
    source: str
    custom_name: bool

    @property
    def value(self) -> str:
        """The name itself."""
        return self.key[-1]


def replaced_in_order(region: str, resource_type: str) -> str:
    """`create_then_delete`, or `delete_then_create` for the few types that cannot exist twice."""
    return str((known_schema(region, resource_type) or {}).get("replacementStrategy", "create_then_delete"))


def held(region: str, resource_type: str, properties: Mapping[str, Any]) -> Iterator[Held]:
    """Everything that a resource with these properties has alone."""
    for paths in _identifiers(region, resource_type):
        key = _key(resource_type, paths, properties)
        if key is not None:
            what = f"a custom-named resource is not replaced while it is named {key[-1]}"
            yield Held(key, what, CUSTOM_NAMES, True)
    for names, why, source in _SLOTS.get(resource_type, ()):
        key = _key(resource_type, tuple((name,) for name in names), properties)
        if key is not None:
            yield Held(key, f"{why}, and the old one still holds {key[-1]}", source, False)


def in_the_way(
    region: str, resource_type: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Held | None:
    """What stands in the way of a replacement; None when nothing does."""
    if replaced_in_order(region, resource_type) == DELETED_FIRST:
        return None
    old = {found.key for found in held(region, resource_type, before)}
    kept = (found for found in held(region, resource_type, after) if found.key in old)
    return next(kept, None) or _overlap(resource_type, before, after)


def _overlap(resource_type: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Held | None:
    """The block of a subnet, which the new one cannot share with the old one."""
    if resource_type != "AWS::EC2::Subnet" or before.get("VpcId") != after.get("VpcId"):
        return None
    blocks = [str(side.get("CidrBlock")) for side in (before, after)]
    try:
        old, new = (ipaddress.ip_network(block) for block in blocks)
    except ValueError:
        return None
    if not (isinstance(old, ipaddress.IPv4Network) and isinstance(new, ipaddress.IPv4Network)):
        return None
    what = f"subnets of a VPC do not overlap, and the old one still holds {old}"
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
