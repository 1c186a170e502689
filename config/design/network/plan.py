"""The network that follows from a profile: subnets, their sizes, where the NAT gateway and endpoints go."""

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
"""Addresses that AWS keeps of every subnet (https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html)."""

LARGEST_PREFIX = 16
"""The largest VPC block is a /16; EFA clients and an EFA file system must share one /16."""

SMALLEST_BLOCK = 28
"""The smallest block of a VPC or a subnet (https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html)."""

SMALLEST_PREFIX = 20
"""Below a /20 the public subnet of the plan would be smaller than the /28 that a subnet needs."""

MAX_SECONDARY_ZONES = 8

PUBLIC = "public"


@dataclass(frozen=True, slots=True, kw_only=True)
class SubnetPlan:
    """One subnet. `id` is set for a subnet that exists; a new one has none until it is deployed."""

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
        """IPv4 addresses that interfaces can take."""
        return _usable_addresses(self.cidr)


@lru_cache(maxsize=1024)
def _usable_addresses(cidr: str) -> int:
    prefix = int(cidr.rpartition("/")[2])
    return max(0, (1 << 32 - prefix) - RESERVED_ADDRESSES)


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkPlan:
    """A VPC and its subnets. The subnet named `primary` holds the nodes and the file system."""

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
        """The subnet of that name; KeyError when there is none."""
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
        """Where OpenZFS stands: with the nodes, or in a zone of the Region where they are in a Local Zone."""
        if not is_local_zone(self.primary.zone):
            return PRIMARY
        others = (s.name for s in self.private_subnets if not is_local_zone(s.zone))
        return next(others, None)


def first_overlap(
    block: ipaddress.IPv4Network, others: Iterable[ipaddress.IPv4Network]
) -> ipaddress.IPv4Network | None:
    """The first of the other blocks that shares an address with this one: EC2 refuses such a subnet."""
    return next((other for other in others if other.overlaps(block)), None)


def plan_network(profile: Profile) -> NetworkPlan | None:
    """The network of a profile; None when it has none of its own, or none that nodes can stand in."""
    if isinstance(profile.network, NewNetwork):
        return _new(profile, profile.network)
    if isinstance(profile.network, ExistingNetwork):
        return _existing(profile, profile.network)
    return None


@lru_cache(maxsize=1024)
def zone_slot(zone: str) -> int:
    """Which of the secondary blocks a zone takes: from its own number (`-az3`) or letter (`-2c`), from 0.

    The order in which a profile lists its zones must not matter: a subnet that moved to another block would
    be made anew, and collide with the one that it replaces.
    """
    number = re.search(r"-az([0-9]+)$", zone)
    return int(number[1]) - 1 if number else ord(zone[-1]) - ord("a")


@lru_cache(maxsize=256)
def divide(vpc_cidr: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The primary, secondary and public blocks of a VPC block.

    The division depends on nothing but the VPC's block: a subnet's block cannot be changed, so a cluster
    that grows must never move one. The lower half is the primary subnet, the third quarter holds eight
    blocks for secondary ones, and the last quarter starts with eight small ones for a public one.
    """
    whole = ipaddress.IPv4Network(vpc_cidr)
    primary, upper = whole.subnets(prefixlen_diff=1)
    third, last = upper.subnets(prefixlen_diff=1)
    secondary = [str(block) for block in third.subnets(prefixlen_diff=3)]
    public = [str(block) for block in last.subnets(new_prefix=whole.prefixlen + 8)]
    return str(primary), tuple(secondary), tuple(public[:MAX_SECONDARY_ZONES])


def valid_vpc_cidr(vpc_cidr: str) -> bool:
    """True for a block that `divide` can divide."""
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
    # NAT gateways and endpoints go to a zone of the Region itself: not every Local Zone offers them
    service_zone = zones[0] if is_local_zone(profile.zone) and zones else profile.zone
    subnets = [SubnetPlan(name=PRIMARY, cidr=primary, zone=profile.zone)]
    subnets += [
        SubnetPlan(name=f"secondary-{zone}", cidr=secondary[zone_slot(zone)], zone=zone)
        for zone in sorted(zones)
    ]
    if not network.closed:
        # a zone beyond the eighth shares a block: only moves between such zones could then collide
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


def _stated_blocks(network: ExistingNetwork) -> tuple[str, ...]:
    subnets = (subnet.cidr for subnet in network.subnets)
    return (network.vpc_cidr, *network.vpc_secondary_cidrs, *subnets)


def _existing(profile: Profile, network: ExistingNetwork) -> NetworkPlan | None:
    if not all(_is_block(cidr) for cidr in _stated_blocks(network)):
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
