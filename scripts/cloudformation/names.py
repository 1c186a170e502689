"""Names that a template gives: what has one cannot be replaced while it keeps it.

The new resource is made before the old one goes, and a name cannot be taken twice: CloudFormation refuses the
update. https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-name.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .provider_schemas import known_schema
from .schema import is_create_only, value_at

SOURCE = "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-name.html"
DELETED_FIRST = "delete_then_create"

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
}


def replaced_in_order(region: str, resource_type: str) -> str:
    """`create_then_delete`, or `delete_then_create` for the few types that cannot exist twice."""
    return str((known_schema(region, resource_type) or {}).get("replacementStrategy", "create_then_delete"))


def given_names(region: str, resource_type: str, properties: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Every name (alone, or with what it is unique in) that the properties give the resource."""
    for pointers in _identifiers(region, resource_type):
        values = tuple(value_at(properties, path) for path in pointers)
        if all(isinstance(value, str) and value for value in values):
            yield (resource_type, "/".join(pointers[-1]), *values)


def kept_name(
    region: str, resource_type: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> str | None:
    """The name that stands in the way of a replacement; None when there is none."""
    if replaced_in_order(region, resource_type) == DELETED_FIRST:
        return None
    old = set(given_names(region, resource_type, before))
    kept = [name for name in given_names(region, resource_type, after) if name in old]
    return kept[0][-1] if kept else None


def _identifiers(region: str, resource_type: str) -> Iterator[tuple[tuple[str, ...], ...]]:
    schema = known_schema(region, resource_type) or {}
    if resource_type in _NAMES:
        yield tuple((name,) for name in _NAMES[resource_type])
    for pointers in (schema.get("primaryIdentifier", []), *schema.get("additionalIdentifiers", [])):
        paths = tuple(tuple(p.removeprefix("/properties/").split("/")) for p in pointers)
        if paths and all(is_create_only(region, resource_type, path) for path in paths):
            yield paths
