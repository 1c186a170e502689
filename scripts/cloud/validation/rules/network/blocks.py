"""Template rules for the CIDR blocks of VPCs and subnets."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from config.design.network.plan import LARGEST_PREFIX, SMALLEST_BLOCK, first_overlap
from config.rules.deployed import machines as codes
from scripts.cloud.validation.rules.reading import text_at
from scripts.cloud.validation.rules.registry import Resource, Sibling, Violation, rule

_VPC, _BLOCK, _SUBNET = "AWS::EC2::VPC", "AWS::EC2::VPCCidrBlock", "AWS::EC2::Subnet"


def _network(cidr: object) -> ipaddress.IPv4Network | None:
    """Parse an IPv4 CIDR block; None if it is not one. EC2 accepts host bits and clears them."""
    try:
        return ipaddress.IPv4Network(cidr, strict=False) if isinstance(cidr, str) else None
    except ValueError:
        return None


@rule(codes.BLOCK_SIZES, _VPC, _BLOCK, _SUBNET)
def block_has_a_size_that_ec2_takes(resource: Resource) -> Iterator[Violation]:
    """Check the format and the size of CidrBlock."""
    cidr = text_at(resource.properties, "CidrBlock")
    block = _network(cidr)
    if block is None and cidr is not None:
        yield Violation(
            "CidrBlock", f"{cidr} is not an IPv4 CIDR block", "use a CIDR block such as 10.0.0.0/16"
        )
    elif block is not None and not LARGEST_PREFIX <= block.prefixlen <= SMALLEST_BLOCK:
        message = (
            f"the prefix length /{block.prefixlen} is not between /{LARGEST_PREFIX} and /{SMALLEST_BLOCK}"
        )
        yield Violation("CidrBlock", message, f"use a CIDR block from /{LARGEST_PREFIX} to /{SMALLEST_BLOCK}")


@rule(codes.SUBNETS_FIT, _SUBNET)
def subnet_fits_into_its_vpc(resource: Resource) -> Iterator[Violation]:
    """Check CidrBlock against the VPC's CIDR blocks and the other subnets, if the stack creates the VPC."""
    own, vpc = _network(text_at(resource.properties, "CidrBlock")), resource.at(_VPC, "VpcId")
    if own is None or vpc is None:
        return
    blocks = [vpc.properties, *(b.properties for b in _in_vpc(resource, vpc, _BLOCK))]
    wholes = [_network(block.get("CidrBlock")) for block in blocks]
    if all(whole is not None and not own.subnet_of(whole) for whole in wholes):
        message = f"{own} is not inside {' or '.join(map(str, wholes))}"
        yield Violation("CidrBlock", message, "use a CIDR block inside a CIDR block of the VPC")
    others = [_network(text_at(subnet.properties, "CidrBlock")) for subnet in _in_vpc(resource, vpc, _SUBNET)]
    other = first_overlap(own, [block for block in others if block is not None])
    if other is not None:
        yield Violation(
            "CidrBlock", f"{own} and {other} overlap", "use a separate CIDR block for each subnet"
        )


def _in_vpc(resource: Resource, vpc: Sibling, kind: str) -> list[Sibling]:
    return [other for other in resource.of_type(kind) if vpc.is_called(other.properties.get("VpcId"))]
