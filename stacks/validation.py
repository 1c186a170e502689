"""Acknowledgements of wrong findings of CDK's template validation, each on the narrowest scope."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import aws_cdk as cdk
from constructs import IConstruct

from config.design.model import Design
from config.profile.waiver import Waiver


def acknowledge_instance_types(cluster: IConstruct) -> None:
    """Acknowledge findings about instance types, because the validator's list lacks types in some Regions.

    The validator's list is based on prices. Rules CAP009 and CAP010 check types against the catalogue.
    """
    reason = "the list is based on prices and has gaps; rules CAP009 and CAP010 check types"
    _acknowledge(cluster, "CloudFormation-Validate::E3644", reason)


def acknowledge_zone_names(network: IConstruct, design: Design) -> None:
    """Acknowledge findings about zone names: the profile declares the zone that offers its instances."""
    if design.network and not all(subnet.zone_is_id for subnet in design.network.subnets):
        _acknowledge(
            network, "CloudFormation-Validate::W3010", "the profile declares the zone of its instances"
        )


def acknowledge_governance_types(governance: IConstruct) -> None:
    """Acknowledge findings about task governance types, which CDK's list lacks in some Regions.

    Before CDK 2.276, the list also lacked the type ComputeQuota. Rule HPE023 checks the Regions.
    """
    reason = "CloudFormation has the type; the validator's list is older"
    _acknowledge(governance, "CloudFormation-Validate::F3006", reason)


_NEW_IN_REGION: Mapping[str, str] = {
    "ORC006": "Orchestration",
    "OBS001": "Observability",
    "OBS002": "Observability",
}
"""The codes of waivable Region rules, each with the layer whose resource types the validator can lack."""


def acknowledge_waivers(stack: cdk.Stack, waivers: Sequence[Waiver]) -> None:
    """Acknowledge types that the validator lacks in a Region, if the profile waives the Region rule."""
    for waiver in waivers:
        layer = stack.node.try_find_child(_NEW_IN_REGION.get(waiver.code, ""))
        if layer is not None:
            reason = f"{waiver.code} is waived: {waiver.reason.strip()}"
            _acknowledge(layer, "CloudFormation-Validate::F3006", reason)


def _acknowledge(scope: IConstruct, finding: str, reason: str) -> None:
    cdk.Validations.of(scope).acknowledge(cdk.Acknowledgment(id=finding, reason=reason))
