"""Acknowledge wrong findings of CDK's template validation, on the narrowest scope."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import aws_cdk as cdk
from constructs import IConstruct

from config.design.model import Design
from config.profile.waiver import Waiver


def acknowledge_instance_types(cluster: IConstruct) -> None:
    """Acknowledge instance types: the validator's list is based on prices and lacks types in some Regions.

    Rules CAP009 and CAP010 check types against the catalogue.
    """
    reason = "the list is based on prices and has gaps; rules CAP009 and CAP010 check types"
    _acknowledge(cluster, "CloudFormation-Validate::E3644", reason)


def acknowledge_zone_names(network: IConstruct, design: Design) -> None:
    """Acknowledge zones by name: the profile declares the zone that offers its instances."""
    if design.network and not all(subnet.zone_is_id for subnet in design.network.subnets):
        _acknowledge(
            network, "CloudFormation-Validate::W3010", "the profile declares the zone of its instances"
        )


def acknowledge_governance_types(governance: IConstruct) -> None:
    """Acknowledge the task governance types: CDK's list lacks some Regions, and before 2.276 ComputeQuota.

    Rule HPE023 checks the Regions.
    """
    reason = "CloudFormation has the type; the validator's list is older"
    _acknowledge(governance, "CloudFormation-Validate::F3006", reason)


_NEW_IN_REGION: Mapping[str, str] = {
    "ORC006": "Orchestration",
    "OBS001": "Observability",
    "OBS002": "Observability",
}
"""Codes for services that a Region does not offer, each with the layer whose types the validator may lack."""


def acknowledge_waivers(stack: cdk.Stack, waivers: Sequence[Waiver]) -> None:
    """Acknowledge missing types for waived Region rules: the validator's list can be as old as the rule's."""
    for waiver in waivers:
        layer = stack.node.try_find_child(_NEW_IN_REGION.get(waiver.code, ""))
        if layer is not None:
            reason = f"{waiver.code} is waived: {waiver.reason.strip()}"
            _acknowledge(layer, "CloudFormation-Validate::F3006", reason)


def _acknowledge(scope: IConstruct, finding: str, reason: str) -> None:
    cdk.Validations.of(scope).acknowledge(cdk.Acknowledgment(id=finding, reason=reason))
