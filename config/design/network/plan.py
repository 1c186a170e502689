"""Network plan of a profile: subnets and their sizes, NAT gateway and endpoints."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from config.design.network.references import interface_endpoints
from config.design.zones import PRIMARY, is_local_zone, is_zone_id
from config.profile.model import Profile
from config.profile.network import ExistingNetwork, NewNetwork

RESERVED_ADDRESSES = 5
"""Addresses that AWS reserves in each subnet (https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html)."""

LARGEST_PREFIX = 16
"""The largest VPC CIDR block; EFA clients and an EFA file system must be in the same /16."""

SMALLEST_BLOCK = 28
"""The smallest CIDR block of a VPC or subnet (https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html)."""

SMALLEST_PREFIX = 20
"""The smallest CIDR block of a new VPC; in a smaller one, the public subnet would be smaller than a /28."""

MAX_SECONDARY_ZONES = 8

PUBLIC = "public"


@dataclass(frozen=True, slots=True, kw_only=True)
class SubnetPlan:
    """A subnet; `id` is None for a subnet that the stack creates."""

    name: str
    cidr: str
    zone: str
    public: bool = False
    id: str | None = None

    @property
    def zone_is_id(self) -> bool:
        """True for a zone id (`usw2-az2`), False for a zone name (`us-west-2b`)."""
        return is_zone_id(self.zone)

    @property
    def usable_addresses(self) -> int:
        """IPv4 addresses that interfaces can use."""
        return _usable_addresses(self.cidr)


@lru_cache(maxsize=1024)
def _usable_addresses(cidr: str) -> int:
    prefix = int(cidr.rpartition("/")[2])
    return max(0, (1 << 32 - prefix) - RESERVED_ADDRESSES)


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkPlan:
    """A VPC and its subnets; nodes and file systems are in the subnet named `primary`."""

    existing_vpc_id: str | None
    vpc_cidr: str
    subnets: tuple[SubnetPlan, ...]
    closed: bool
    nat_subnet: str | None
    interface_endpoints: tuple[str, ...]
    endpoint_subnets: tuple[str, ...]
    flow_log_retention_days: int
    s3_express_endpoint: bool = False

    def subnet(self, name: str) -> SubnetPlan:
        """Return the subnet with this name; raises KeyError if there is none."""
        for subnet in self.subnets:
            if subnet.name == name:
                return subnet
        raise KeyError(name)

    @property
    def primary(self) -> SubnetPlan:
        """The subnet of the nodes and the file system."""
        return self.subnet(PRIMARY)

    @property
    def private_subnets(self) -> tuple[SubnetPlan, ...]:
        """All subnets without a route to the internet gateway."""
        return tuple(subnet for subnet in self.subnets if not subnet.public)

    @property
    def home_subnet(self) -> str | None:
        """Name of the OpenZFS subnet: `primary`, or a private subnet outside the nodes' Local Zone.

        None if the nodes are in a Local Zone and all private subnets are in Local Zones.
        """
        if not is_local_zone(self.primary.zone):
            return PRIMARY
        others = (s.name for s in self.private_subnets if not is_local_zone(s.zone))
        return next(others, None)


def first_overlap(
    block: ipaddress.IPv4Network, others: Iterable[ipaddress.IPv4Network]
) -> ipaddress.IPv4Network | None:
    """Return the first CIDR block of `others` that overlaps this one; None without an overlap."""
    return next((other for other in others if other.overlaps(block)), None)


def plan_network(profile: Profile) -> NetworkPlan | None:
    """Return the network of a profile; None if it has none, or if its CIDR blocks are not valid."""
    if isinstance(profile.network, NewNetwork):
        return _new(profile, profile.network)
    if isinstance(profile.network, ExistingNetwork):
        return _existing(profile, profile.network)
    return None


@lru_cache(maxsize=1024)
def zone_slot(zone: str) -> int:
    """Return the index (from 0) of a zone's secondary CIDR block, from the zone's number or letter.

    The index does not depend on the order of the zones in the profile. Otherwise a new order would replace
    subnets, and their new CIDR blocks would overlap existing subnets.
    """
    number = re.search(r"-az([0-9]+)$", zone)
    return int(number[1]) - 1 if number else ord(zone[-1]) - ord("a")


@lru_cache(maxsize=256)
def divide(vpc_cidr: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Return the primary, secondary and public CIDR blocks of a VPC.

    The CIDR blocks depend only on the VPC's CIDR block, because a subnet's CIDR block cannot change when a
    cluster grows. The lower half is the primary subnet, and the third quarter has eight secondary subnets.
    The last quarter starts with eight small ranges, one of which is the public subnet.
    """
    whole = ipaddress.IPv4Network(vpc_cidr)
    primary, upper = whole.subnets(prefixlen_diff=1)
    third, last = upper.subnets(prefixlen_diff=1)
    secondary = [str(block) for block in third.subnets(prefixlen_diff=3)]
    public = [str(block) for block in last.subnets(new_prefix=whole.prefixlen + 8)]
    return str(primary), tuple(secondary), tuple(public[:MAX_SECONDARY_ZONES])


def valid_vpc_cidr(vpc_cidr: str) -> bool:
    """Return True for a CIDR block that `divide` accepts."""
    try:
        block = ipaddress.IPv4Network(vpc_cidr)
    except ValueError:
        return False
    return LARGEST_PREFIX <= block.prefixlen <= SMALLEST_PREFIX


def _new(profile: Profile, network: NewNetwork) -> NetworkPlan | None:
    if not valid_vpc_cidr(network.vpc_cidr) or not profile.zone:
        return None
    primary, secondary, public = divide(network.vpc_cidr)
    zones = [zone for zone in network.secondary_zones if 0 <= zone_slot(zone) < MAX_SECONDARY_ZONES]
    # NAT gateways and endpoints are in an Availability Zone: not every Local Zone offers them
    service_zone = zones[0] if is_local_zone(profile.zone) and zones else profile.zone
    subnets = [SubnetPlan(name=PRIMARY, cidr=primary, zone=profile.zone)]
    subnets += [
        SubnetPlan(name=f"secondary-{zone}", cidr=secondary[zone_slot(zone)], zone=zone)
        for zone in sorted(zones)
    ]
    if not network.closed:
        # zones after the eighth share a CIDR block: it overlaps if the NAT gateway changes between such zones
        block = public[zone_slot(service_zone) % MAX_SECONDARY_ZONES]
        subnets.append(SubnetPlan(name=PUBLIC, cidr=block, zone=service_zone, public=True))
    home = PRIMARY if service_zone == profile.zone else f"secondary-{service_zone}"
    return NetworkPlan(
        existing_vpc_id=None,
        vpc_cidr=network.vpc_cidr,
        subnets=tuple(subnets),
        closed=network.closed,
        nat_subnet=None if network.closed else PUBLIC,
        interface_endpoints=interface_endpoints(profile) if network.closed else (),
        endpoint_subnets=(home,) if network.closed else (),
        flow_log_retention_days=network.flow_log_retention_days,
        s3_express_endpoint=profile.storage is not None and profile.storage.s3_express is not None,
    )


def _is_block(cidr: str) -> bool:
    try:
        ipaddress.IPv4Network(cidr)
    except ValueError:
        return False
    return True


def _declared_blocks(network: ExistingNetwork) -> tuple[str, ...]:
    subnets = (subnet.cidr for subnet in network.subnets)
    return (network.vpc_cidr, *network.vpc_secondary_cidrs, *subnets)


def _existing(profile: Profile, network: ExistingNetwork) -> NetworkPlan | None:
    if not all(_is_block(cidr) for cidr in _declared_blocks(network)):
        return None
    subnets: list[SubnetPlan] = []
    for subnet in network.subnets:
        zone = subnet.availability_zone_id or subnet.availability_zone or ""
        home = profile.zone in (subnet.availability_zone_id, subnet.availability_zone)
        first = home and not any(known.name == PRIMARY for known in subnets)
        subnets.append(
            SubnetPlan(
                name=PRIMARY if first else f"secondary-{zone}",
                cidr=subnet.cidr,
                zone=zone,
                public=subnet.public,
                id=subnet.id,
            )
        )
    if not any(subnet.name == PRIMARY for subnet in subnets):
        return None
    return NetworkPlan(
        existing_vpc_id=network.vpc_id,
        vpc_cidr=network.vpc_cidr,
        subnets=tuple(subnets),
        closed=False,
        nat_subnet=None,
        interface_endpoints=(),
        endpoint_subnets=(),
        flow_log_retention_days=0,
    )
