"""Findings of CDK's own template validation that are wrong here, acknowledged on the narrowest scope."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import IConstruct

from config.design.model import Design


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


def _acknowledge(scope: IConstruct, finding: str, reason: str) -> None:
    cdk.Validations.of(scope).acknowledge(cdk.Acknowledgment(id=finding, reason=reason))
