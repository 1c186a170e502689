"""Findings of CDK's own template validation that are wrong here, acknowledged on the narrowest scope."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import IConstruct

from config.design.model import Design


def acknowledge_instance_types(cluster: IConstruct, design: Design) -> None:
    """The validator knows instance types by their on-demand prices: types that have none are missing.

    Rule CAP010 checks them against the API's own list instead.
    """
    unpriced = sorted({
        group.instance_type.name
        for group in design.groups
        if "on-demand" not in group.instance_type.capacity_kinds
        or (group.instance_type.is_gpu and design.profile.region not in group.instance_type.on_demand_regions)
    })  # fmt: skip
    if unpriced:
        reason = (
            f"the list is made from on-demand prices and lacks {', '.join(unpriced)}, which CAP010 checks"
        )
        _acknowledge(cluster, "CloudFormation-Validate::E3644", reason)


def acknowledge_zone_names(network: IConstruct, design: Design) -> None:
    """The validator warns of zones by name; a GPU cluster stands in the zone that sells its machines."""
    if design.network and not all(subnet.zone_is_id for subnet in design.network.subnets):
        _acknowledge(network, "CloudFormation-Validate::W3010", "the profile states the zone of its machines")


def _acknowledge(scope: IConstruct, finding: str, reason: str) -> None:
    cdk.Validations.of(scope).acknowledge(cdk.Acknowledgment(id=finding, reason=reason))
