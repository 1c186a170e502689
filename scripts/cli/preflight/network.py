"""What is asked of a network that exists: VPC, subnets, free addresses, names, security groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from config.design.network.addresses import AddressBudget
from config.diagnostics import Path
from config.profile.base import SECURITY_GROUP_ID, SUBNET_ID
from config.profile.network import ExistingNetwork, ExistingSubnet
from config.rules.preflight import codes
from scripts.cli.preflight.asking import Ask
from scripts.cli.preflight.checks import Check, Found, Verdict, by_id, needs
from scripts.cli.preflight.place import Place
from scripts.cli.preflight.stack import is_deployed, permissions
from scripts.cli.preflight.stated import stated

_AT = ("network",)


def checks(place: Place) -> Iterator[Check]:
    """All checks of a network that exists, and of what else the profile names in one."""
    network = place.design.profile.network
    own: set[str] = set()
    vpc_id = None
    if isinstance(network, ExistingNetwork):
        own, vpc_id = {one.id for one in network.subnets}, network.vpc_id
        yield Check(
            service="EC2",
            subject=f"the VPC {vpc_id}",
            permissions=(needs("ec2:DescribeVpcs"),),
            judge=partial(_vpc, network),
        )
        yield Check(
            service="EC2",
            subject=f"names in {vpc_id}",
            permissions=(needs("ec2:DescribeVpcAttribute"),),
            judge=partial(_dns, vpc_id),
        )
        for number, subnet in enumerate(network.subnets):
            yield Check(
                service="EC2",
                subject=f"the subnet {subnet.id}",
                permissions=(needs("ec2:DescribeSubnets"), *permissions(place)),
                judge=partial(_subnet, place, network, subnet, ("network", "subnets", number)),
            )
    for subnet_id, at in stated(place.design.profile, SUBNET_ID).items():
        if subnet_id not in own:
            yield Check(
                service="EC2",
                subject=f"the subnet {subnet_id}",
                permissions=(needs("ec2:DescribeSubnets"),),
                judge=partial(_other_subnet, subnet_id, at),
            )
    for group_id, at in stated(place.design.profile, SECURITY_GROUP_ID).items():
        yield Check(
            service="EC2",
            subject=f"the security group {group_id}",
            permissions=(needs("ec2:DescribeSecurityGroups"),),
            judge=partial(_group, group_id, vpc_id if at[0] == "storage" else None, at),
        )


def _found(at: Path, message: str, hint: str) -> Found:
    return Found(code=codes.NETWORK, at=at, message=message, hint=hint)


def _vpc(network: ExistingNetwork, ask: Ask) -> Verdict:
    vpc_id = network.vpc_id
    told = ask("ec2", "DescribeVpcs", Filters=[{"Name": "vpc-id", "Values": [vpc_id]}])["Vpcs"]
    here = by_id(told, "VpcId").get(vpc_id)
    if here is None:
        message = f"there is no VPC {vpc_id} in this account and Region"
        return Verdict(
            "not there", (_found((*_AT, "vpc_id"), message, "`aws ec2 describe-vpcs` lists them"),)
        )
    blocks = {
        str(one["CidrBlock"])
        for one in here.get("CidrBlockAssociationSet", ())
        if one.get("CidrBlockState", {}).get("State", "associated") == "associated"
    } | {str(here["CidrBlock"])}
    faults = []
    if here["CidrBlock"] != network.vpc_cidr:
        faults.append(
            _found(
                (*_AT, "vpc_cidr"),
                f"{vpc_id} is {here['CidrBlock']}, the profile says {network.vpc_cidr}",
                f"write `vpc_cidr: {here['CidrBlock']}`",
            )
        )
    for block in network.vpc_secondary_cidrs:
        if block not in blocks:
            message = f"{vpc_id} has no block {block}: it has {', '.join(sorted(blocks))}"
            faults.append(_found((*_AT, "vpc_secondary_cidrs"), message, "write the blocks that it has"))
    return Verdict(", ".join(sorted(blocks)), tuple(faults))


def _dns(vpc_id: str, ask: Ask) -> Verdict:
    off = []
    for attribute in ("enableDnsSupport", "enableDnsHostnames"):
        told = ask("ec2", "DescribeVpcAttribute", VpcId=vpc_id, Attribute=attribute)
        if not told.get(attribute[0].upper() + attribute[1:], {}).get("Value", False):
            off.append(attribute)
    if not off:
        return Verdict("both settings on")
    flags = {"enableDnsSupport": "--enable-dns-support", "enableDnsHostnames": "--enable-dns-hostnames"}
    hints = " and ".join(f"`aws ec2 modify-vpc-attribute --vpc-id {vpc_id} {flags[one]}`" for one in off)
    found = Found(
        code=codes.DNS, at=(*_AT, "vpc_id"), message=f"{' and '.join(off)} of {vpc_id} {'are' if len(off) > 1 else 'is'} off",
        hint=hints,
    )  # fmt: skip
    return Verdict(f"{', '.join(off)} off", (found,))


def _subnets(ask: Ask, subnet_id: str) -> Mapping[str, Any] | None:
    told = ask("ec2", "DescribeSubnets", Filters=[{"Name": "subnet-id", "Values": [subnet_id]}])["Subnets"]
    return by_id(told, "SubnetId").get(subnet_id)


def _no_subnet(subnet_id: str, at: Path) -> Verdict:
    message = f"there is no subnet {subnet_id} in this account and Region"
    return Verdict("not there", (_found(at, message, "`aws ec2 describe-subnets` lists them"),))


def _subnet(place: Place, network: ExistingNetwork, subnet: ExistingSubnet, at: Path, ask: Ask) -> Verdict:
    here = _subnets(ask, subnet.id)
    if here is None:
        return _no_subnet(subnet.id, (*at, "id"))
    faults = []
    for key, stated_one, real in (
        ("id", network.vpc_id, here.get("VpcId")),
        ("cidr", subnet.cidr, here.get("CidrBlock")),
        ("availability_zone", subnet.availability_zone, here.get("AvailabilityZone")),
        ("availability_zone_id", subnet.availability_zone_id, here.get("AvailabilityZoneId")),
    ):
        if stated_one is not None and real is not None and stated_one != real:
            verb = "is in" if key == "id" else "has"
            message = f"{subnet.id} {verb} {real}, the profile says {stated_one}"
            hint = f"name a subnet of {network.vpc_id}" if key == "id" else f"write `{key}: {real}`"
            faults.append(_found((*at, key), message, hint))
    free = int(here.get("AvailableIpAddressCount", 0))
    name = (
        next((one.name for one in place.design.network.subnets if one.id == subnet.id), "")
        if place.design.network
        else ""
    )
    wanted = place.design.addresses.needed(name)
    if free < wanted and not is_deployed(place, ask):
        faults.append(address_fault(subnet.id, free, wanted, (*at, "id")))
    return Verdict(
        f"{here.get('AvailabilityZoneId', '')}, {free} addresses free, {wanted} needed", tuple(faults)
    )


def address_fault(subnet_id: str, free: int, wanted: int, at: Path) -> Found:
    """That a subnet has too few free addresses."""
    return Found(
        code=codes.ADDRESSES, at=at, message=f"{subnet_id} has {free} addresses free, the cluster takes {wanted}",
        hint="lower a count, take a larger subnet, or `efa: {layout: ip-saving}` where it is not",
    )  # fmt: skip


def own_addresses(addresses: AddressBudget, subnet: str) -> int:
    """Addresses that a cluster on another profile's network takes of one subnet: the storage has its own."""
    others = ("Lustre servers", "home directories", "interface endpoints", "NAT gateway")
    return sum(
        use.total for use in addresses.uses if use.subnet == subnet and not use.consumer.startswith(others)
    )


def _other_subnet(subnet_id: str, at: Path, ask: Ask) -> Verdict:
    here = _subnets(ask, subnet_id)
    return (
        _no_subnet(subnet_id, at) if here is None else Verdict(str(here.get("AvailabilityZoneId", "there")))
    )


def _group(group_id: str, vpc_id: str | None, at: Path, ask: Ask) -> Verdict:
    told = ask("ec2", "DescribeSecurityGroups", Filters=[{"Name": "group-id", "Values": [group_id]}])
    here = by_id(told["SecurityGroups"], "GroupId").get(group_id)
    if here is None:
        message = f"there is no security group {group_id} in this account and Region"
        return Verdict("not there", (_found(at, message, "`aws ec2 describe-security-groups` lists them"),))
    if vpc_id is not None and here.get("VpcId") != vpc_id:
        message = f"{group_id} is of {here.get('VpcId')}, the network of {vpc_id}"
        return Verdict(str(here.get("VpcId")), (_found(at, message, f"name a security group of {vpc_id}"),))
    return Verdict("there")
