"""Template rules for EKS clusters and access entries."""

from __future__ import annotations

from collections.abc import Iterator

from config.rules.deployed import eks as codes
from scripts.cloud.validation.rules.reading import text_at, texts_at, value_at
from scripts.cloud.validation.rules.registry import Resource, Violation, rule

_SUBNETS = "ResourcesVpcConfig/SubnetIds"
_NODES = ("EC2_LINUX", "EC2_WINDOWS")


@rule(codes.TWO_ZONES, "AWS::EKS::Cluster")
def control_plane_stands_in_two_zones(resource: Resource) -> Iterator[Violation]:
    """Check that the control plane's subnets are in two zones, if the stack creates all these subnets."""
    references = texts_at(resource.properties, *_SUBNETS.split("/"))
    found = [resource.named(subnet, "AWS::EC2::Subnet") for _, subnet in references]
    for name in ("AvailabilityZone", "AvailabilityZoneId"):
        zones = {text_at(subnet.properties, name) if subnet else None for subnet in found}
        if len(zones) == 1 and None not in zones:
            message = f"all {len(references)} subnets are in {zones.pop()}, but EKS requires two zones"
            yield Violation(_SUBNETS, message, "add a subnet in a second zone")


@rule(codes.NODE_ENTRIES, "AWS::EKS::AccessEntry")
def entries_of_nodes_grant_nothing(resource: Resource) -> Iterator[Violation]:
    """Check that access entries for nodes have no KubernetesGroups and AccessPolicies."""
    kind = text_at(resource.properties, "Type")
    for name in ("KubernetesGroups", "AccessPolicies") if kind in _NODES else ():
        if value_at(resource.properties, name):
            yield Violation(name, f"an entry of type {kind} has {name}", f"remove {name}")
