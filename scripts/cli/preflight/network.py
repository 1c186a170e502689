"""Checks of an existing network: VPC, subnets, free addresses, DNS, security groups."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.network.addresses import AddressBudget
from config.diagnostics import Path
from config.profile.base import SECURITY_GROUP_ID, SUBNET_ID
from config.profile.network import ExistingNetwork, ExistingSubnet
from config.rules.preflight import codes
from scripts.cli.preflight.asking import Ask
from scripts.cli.preflight.checks import Check, Found, Verdict, check, ec2_by_id, needs, wrong
from scripts.cli.preflight.place import Place
from scripts.cli.preflight.profile_values import values_of_form
from scripts.cli.preflight.stack import is_deployed, permissions

_AT = ("network",)


def checks(place: Place) -> Iterator[Check]:
    """Yield the checks of an existing network, and of other network resources that the profile names."""
    network = place.design.profile.network
    own: set[str] = set()
    vpc_id = None
    if isinstance(network, ExistingNetwork):
        own, vpc_id = {one.id for one in network.subnets}, network.vpc_id
        yield check("EC2", f"the VPC {vpc_id}", needs("ec2:DescribeVpcs"), _vpc, network)
        yield check("EC2", f"DNS in {vpc_id}", needs("ec2:DescribeVpcAttribute"), _dns, vpc_id)
        for number, subnet in enumerate(network.subnets):
            place_of, asked = (*_AT, "subnets", number), needs("ec2:DescribeSubnets") + permissions(place)
            yield check("EC2", f"the subnet {subnet.id}", asked, _subnet, place, network, subnet, place_of)
    for subnet_id, at in values_of_form(place.design.profile, SUBNET_ID).items():
        if subnet_id not in own:
            asked = needs("ec2:DescribeSubnets")
            yield check("EC2", f"the subnet {subnet_id}", asked, _other_subnet, subnet_id, at)
    for group_id, at in values_of_form(place.design.profile, SECURITY_GROUP_ID).items():
        of, asked = vpc_id if at[0] == "storage" else None, needs("ec2:DescribeSecurityGroups")
        yield check("EC2", f"the security group {group_id}", asked, _group, group_id, of, at)


def _not_there(what: str, at: Path, listed_by: str) -> Verdict:
    message = f"the {what} does not exist in this account and Region"
    return wrong("does not exist", codes.NETWORK, at, message, f"use an ID from `aws ec2 {listed_by}`")


def _vpc(network: ExistingNetwork, ask: Ask) -> Verdict:
    vpc_id = network.vpc_id
    here = ec2_by_id(ask, "Vpcs", "VpcId", vpc_id).get(vpc_id)
    if here is None:
        return _not_there(f"VPC {vpc_id}", (*_AT, "vpc_id"), "describe-vpcs")
    blocks = {
        str(one["CidrBlock"])
        for one in here.get("CidrBlockAssociationSet", ())
        if one.get("CidrBlockState", {}).get("State", "associated") == "associated"
    } | {str(here["CidrBlock"])}
    faults = []
    if here["CidrBlock"] != network.vpc_cidr:
        message = (
            f"{vpc_id} has the CIDR block {here['CidrBlock']}, but the profile declares {network.vpc_cidr}"
        )
        hint = f"set `vpc_cidr: {here['CidrBlock']}`"
        faults.append(Found(codes.NETWORK, (*_AT, "vpc_cidr"), message, hint))
    for block in network.vpc_secondary_cidrs:
        if block not in blocks:
            message = (
                f"{vpc_id} has the CIDR blocks {', '.join(sorted(blocks))}, but the profile declares {block}"
            )
            at = (*_AT, "vpc_secondary_cidrs")
            faults.append(
                Found(codes.NETWORK, at, message, "set `vpc_secondary_cidrs` to CIDR blocks of the VPC")
            )
    return Verdict(", ".join(sorted(blocks)), tuple(faults))


def _dns(vpc_id: str, ask: Ask) -> Verdict:
    off = []
    for attribute in ("enableDnsSupport", "enableDnsHostnames"):
        answer = ask("ec2", "DescribeVpcAttribute", VpcId=vpc_id, Attribute=attribute)
        if not answer.get(attribute[0].upper() + attribute[1:], {}).get("Value", False):
            off.append(attribute)
    if not off:
        return Verdict("DNS support and DNS hostnames are on")
    flags = {"enableDnsSupport": "--enable-dns-support", "enableDnsHostnames": "--enable-dns-hostnames"}
    hints = " and ".join(f"`aws ec2 modify-vpc-attribute --vpc-id {vpc_id} {flags[one]}`" for one in off)
    message = f"{' and '.join(off)} of {vpc_id} {'are' if len(off) > 1 else 'is'} off"
    return wrong(f"{', '.join(off)} off", codes.DNS, (*_AT, "vpc_id"), message, f"run {hints}")


def _subnet(place: Place, network: ExistingNetwork, subnet: ExistingSubnet, at: Path, ask: Ask) -> Verdict:
    here = ec2_by_id(ask, "Subnets", "SubnetId", subnet.id).get(subnet.id)
    if here is None:
        return _not_there(f"subnet {subnet.id}", (*at, "id"), "describe-subnets")
    faults = []
    for key, declared_one, real in (
        ("id", network.vpc_id, here.get("VpcId")),
        ("cidr", subnet.cidr, here.get("CidrBlock")),
        ("availability_zone", subnet.availability_zone, here.get("AvailabilityZone")),
        ("availability_zone_id", subnet.availability_zone_id, here.get("AvailabilityZoneId")),
    ):
        if declared_one is not None and real is not None and declared_one != real:
            verb = "is in" if key == "id" else "has"
            message = f"{subnet.id} {verb} {real}, but the profile declares {declared_one}"
            hint = f"use a subnet of {network.vpc_id}" if key == "id" else f"set `{key}: {real}`"
            faults.append(Found(codes.NETWORK, (*at, key), message, hint))
    free = int(here.get("AvailableIpAddressCount", 0))
    subnets = place.design.network.subnets if place.design.network else ()
    name = next((one.name for one in subnets if one.id == subnet.id), "")
    wanted = place.design.addresses.needed(name)
    if free < wanted and not is_deployed(place, ask):
        faults.append(address_fault(subnet.id, free, wanted, (*at, "id")))
    zone = here.get("AvailabilityZoneId", "")
    return Verdict(f"{zone}, {free} addresses free, {wanted} needed", tuple(faults))


def address_fault(subnet_id: str, free: int, wanted: int, at: Path) -> Found:
    """Return the finding for a subnet with too few free addresses."""
    message = f"{subnet_id} has {free} free addresses, but the cluster needs {wanted}"
    hint = "reduce the `count` of a group, use a larger subnet, or set `efa: {layout: ip-saving}`"
    return Found(codes.ADDRESSES, at, message, hint)


def own_addresses(addresses: AddressBudget, subnet: str) -> int:
    """Return the number of addresses that a cluster itself uses in a subnet of its data profile."""
    others = ("Lustre servers", "home directories", "interface endpoints", "NAT gateway")
    return sum(
        use.total for use in addresses.uses if use.subnet == subnet and not use.consumer.startswith(others)
    )


def _other_subnet(subnet_id: str, at: Path, ask: Ask) -> Verdict:
    here = ec2_by_id(ask, "Subnets", "SubnetId", subnet_id).get(subnet_id)
    if here is None:
        return _not_there(f"subnet {subnet_id}", at, "describe-subnets")
    return Verdict(str(here.get("AvailabilityZoneId", "exists")))


def _group(group_id: str, vpc_id: str | None, at: Path, ask: Ask) -> Verdict:
    here = ec2_by_id(ask, "SecurityGroups", "GroupId", group_id).get(group_id)
    if here is None:
        return _not_there(f"security group {group_id}", at, "describe-security-groups")
    if vpc_id is not None and here.get("VpcId") != vpc_id:
        message = f"{group_id} belongs to {here.get('VpcId')}, but the profile's VPC is {vpc_id}"
        hint = f"use a security group of {vpc_id}"
        return wrong(str(here.get("VpcId")), codes.NETWORK, at, message, hint)
    return Verdict("exists")
