"""Findings of CDK's own template validation that are wrong here, acknowledged on the narrowest scope."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import aws_cdk as cdk
from constructs import IConstruct

from config.design.model import Design
from config.profile.waiver import Waiver


def acknowledge_instance_types(cluster: IConstruct) -> None:
    """The validator knows instance types by their prices in each Region, and lacks whole families in some.

    Rules CAP009 and CAP010 check types against the catalogue instead.
    """
    reason = "the list is made from prices and has gaps; rules CAP009 and CAP010 check types"
    _acknowledge(cluster, "CloudFormation-Validate::E3644", reason)


def acknowledge_zone_names(network: IConstruct, design: Design) -> None:
    """The validator warns of zones by name; a GPU cluster stands in the zone that sells its machines."""
    if design.network and not all(subnet.zone_is_id for subnet in design.network.subnets):
        _acknowledge(network, "CloudFormation-Validate::W3010", "the profile states the zone of its machines")


def acknowledge_governance_types(governance: IConstruct) -> None:
    """The validator lacks AWS::SageMaker::ComputeQuota (CDK has it from 2.276 on) and Regions of its sibling.

    Rule HPE023 knows the Regions.
    """
    reason = "the type is in CloudFormation; the list is older"
    _acknowledge(governance, "CloudFormation-Validate::F3006", reason)


_NEW_IN_REGION: Mapping[str, str] = {
    "ORC006": "Orchestration",
    "OBS001": "Observability",
    "OBS002": "Observability",
}
"""Codes that say a service is not in a Region, and the layer whose types the validator then misses."""


def acknowledge_waivers(stack: cdk.Stack, waivers: Sequence[Waiver]) -> None:
    """Where the profile knows better than the lists of Regions, the validator's list is as old as ours."""
    for waiver in waivers:
        layer = stack.node.try_find_child(_NEW_IN_REGION.get(waiver.code, ""))
        if layer is not None:
            reason = f"{waiver.code} is waived: {waiver.reason.strip()}"
            _acknowledge(layer, "CloudFormation-Validate::F3006", reason)


def _acknowledge(scope: IConstruct, finding: str, reason: str) -> None:
    cdk.Validations.of(scope).acknowledge(cdk.Acknowledgment(id=finding, reason=reason))
