"""Rules for CIDR blocks, subnets, addresses and zones."""

from __future__ import annotations

import ipaddress
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

from config.design.model import Design
from config.design.network.plan import (
    LARGEST_PREFIX,
    MAX_SECONDARY_ZONES,
    RESERVED_ADDRESSES,
    SMALLEST_PREFIX,
    SubnetPlan,
    zone_slot,
)
from config.design.report.growth import growth_of
from config.design.zones import PRIMARY, is_local_zone
from config.diagnostics import Path
from config.rules.registry import ERROR, Finding, rule

_VPC = "https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html"
_SIZES = "https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html"
_PRIVATE = tuple(
    ipaddress.IPv4Network(block)
    for block in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
)


@rule(
    "NET001", ERROR, f"the VPC has a private CIDR block from /{LARGEST_PREFIX} to /{SMALLEST_PREFIX}",
    why="AWS rejects a larger CIDR block, and the subnets do not fit in a smaller one. With a public range, nodes cannot reach "
    "the internet hosts in that range.",
    source=_VPC, reads="network", where="new-network",
)  # fmt: skip
def vpc_cidr_can_be_divided(design: Design) -> Iterator[Finding]:
    """Check the CIDR block of a new VPC."""
    network = design.profile.network
    if network is not None and network.kind == "new" and (fault := _indivisible(network.vpc_cidr)):
        yield Finding(at=("network", "vpc_cidr"), message=fault[0], hint=fault[1])


@lru_cache(maxsize=256)
def _indivisible(vpc_cidr: str) -> tuple[str, str] | None:
    """Return message and hint if a new VPC cannot have the CIDR block; otherwise None."""
    try:
        loose = ipaddress.IPv4Network(vpc_cidr, strict=False)
    except ValueError:
        return f"{vpc_cidr} is not an IPv4 CIDR block", "set `vpc_cidr` to a CIDR block such as 10.0.0.0/16"
    if not any(loose.subnet_of(block) for block in _PRIVATE):
        return (
            f"{vpc_cidr} is not in a private range",
            f"set `vpc_cidr` to a CIDR block in {', '.join(map(str, _PRIVATE))}",
        )
    if not LARGEST_PREFIX <= loose.prefixlen <= SMALLEST_PREFIX:
        between = f"/{LARGEST_PREFIX} and /{SMALLEST_PREFIX}"
        return (
            f"/{loose.prefixlen} is not between {between}",
            f"set `vpc_cidr` to a CIDR block with /{LARGEST_PREFIX}, which is large enough for every cluster",
        )
    if str(loose) != vpc_cidr:
        return f"{vpc_cidr} does not start on its boundary", f"set `vpc_cidr` to {loose}"
    return None


@rule(
    "NET002", ERROR, "each subnet has an address for every network interface",
    why="The size of a subnet cannot change. Without a free address, a node does not start and a file system is not created.",
    source=_SIZES, reads="network data compute storage availability_zone availability_zone_id observability",
)  # fmt: skip
def subnets_have_enough_addresses(design: Design) -> Iterator[Finding]:
    """Check the number of addresses that each subnet needs."""
    if design.network is None:
        return
    totals: dict[str, int] = defaultdict(int)
    for use in design.addresses.uses:
        totals[use.subnet] += use.count * use.each
    for subnet in design.network.subnets:
        needed = totals[subnet.name]
        if needed <= subnet.usable_addresses:
            continue
        users = ", ".join(
            f"{use.total} for {use.consumer}" for use in design.addresses.uses if use.subnet == subnet.name
        )
        yield Finding(
            at=_place_of(design, subnet),
            message=f"the {subnet.name} subnet {subnet.cidr} has {subnet.usable_addresses} addresses, but the cluster needs {needed} ({users})",
            hint=f"{_room(design, needed)}{_fitting(design, subnet)}",
        )


def _place_of(design: Design, subnet: SubnetPlan) -> Path:
    network = design.profile.network
    if network is None:
        return ("compute", "groups")
    if network.kind == "new":
        return ("network", "vpc_cidr")
    return ("network", "subnets", [known.id for known in network.subnets].index(subnet.id or ""), "cidr")


def _room(design: Design, needed: int) -> str:
    network = design.profile.network
    if network and network.kind == "new" and not network.vpc_cidr.endswith(f"/{LARGEST_PREFIX}"):
        return f"set `vpc_cidr` to a larger CIDR block (/{LARGEST_PREFIX} has 32763 addresses for nodes), or reduce `count`"
    prefix = 32 - (needed + RESERVED_ADDRESSES - 1).bit_length()
    if prefix < LARGEST_PREFIX:
        return "reduce `count`: a subnet cannot have so many addresses"
    return f"reduce `count`, or use a subnet of /{prefix} or larger"


def _fitting(design: Design, subnet: SubnetPlan) -> str:
    """Return the maximum number of nodes of each group in a subnet, if no other group changes."""
    there = [growth for growth in growth_of(design) if growth.subnet == subnet.name]
    named = ", ".join(
        f"{growth.subnet_holds} nodes of {growth.group}" for growth in there if growth.subnet_holds
    )
    return f"; without other changes, the subnet has room for {named}" if named else ""


@rule(
    "NET003", ERROR, "secondary zones differ from the primary zone and from each other",
    why="EKS, databases and clusters in a Local Zone need subnets in two different zones. The number or letter of a zone also "
    "determines its CIDR block.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html",
    reads="network availability_zone availability_zone_id", where="new-network",
)  # fmt: skip
def secondary_zones_differ(design: Design) -> Iterator[Finding]:
    """Check that the secondary zones differ from each other, and that their CIDR blocks differ too."""
    network = design.profile.network
    if network is None or network.kind != "new":
        return
    zones = network.secondary_zones
    for i, zone in enumerate(zones):
        if (
            zone in (design.profile.availability_zone, design.profile.availability_zone_id)
            or zone in zones[:i]
        ):
            yield Finding(
                at=("network", "secondary_zones", i),
                message=f"zone {zone} is listed twice",
                hint="set another zone here, or remove this entry",
            )
            continue
        if not 0 <= zone_slot(zone) < MAX_SECONDARY_ZONES:
            yield Finding(
                at=("network", "secondary_zones", i),
                message=f"ultracluster has no CIDR block for zone {zone}, only for az1 to az{MAX_SECONDARY_ZONES}",
                hint=f"set another zone, or remove {zone}",
            )
        same = next((other for other in zones[:i] if zone_slot(other) == zone_slot(zone)), None)
        if same is not None:
            yield Finding(
                at=("network", "secondary_zones", i),
                message=f"zones {same} and {zone} would use the same CIDR block of {network.vpc_cidr}",
                hint="use only zone ids or only zone names for the secondary zones, or remove one: the number or letter of a zone determines "
                "the CIDR block",
            )


@rule(
    "NET004", ERROR, "a cluster in a Local Zone has a secondary zone in the Region itself",
    why="Not every Local Zone offers NAT gateways and interface endpoints, so ultracluster creates them in an Availability Zone "
    "of the Region.",
    source="https://docs.aws.amazon.com/local-zones/latest/ug/how-local-zones-work.html",
    reads="network availability_zone availability_zone_id", where="local-zone",
)  # fmt: skip
def local_zone_has_a_zone_of_its_region(design: Design) -> Iterator[Finding]:
    """Check that the first secondary zone of a Local Zone's network is an Availability Zone."""
    network = design.profile.network
    if network is None or network.kind != "new" or not is_local_zone(design.profile.zone):
        return
    if not network.secondary_zones or is_local_zone(network.secondary_zones[0]):
        yield Finding(
            at=("network", "secondary_zones"),
            message=f"{design.profile.zone} is a Local Zone, but the NAT gateway and the endpoints need a zone in "
            f"{design.profile.region}",
            hint=f"set `secondary_zones: [{design.profile.region}a]`, or the id of another zone in the Region",
        )


@rule(
    "NET006", ERROR, "a group is in a zone of the network",
    why="Nodes launch only in a zone where the network has a subnet. EFA traffic does not cross zones, so all groups with EFA "
    "must be in the profile's zone.",
    source=_VPC, reads="network data compute availability_zone availability_zone_id",
)  # fmt: skip
def groups_are_in_zones_of_the_network(design: Design) -> Iterator[Finding]:
    """Check that each group's subnet exists, and that EFA groups use the primary subnet."""
    if design.network is None or design.profile.compute is None:
        return
    elsewhere = [group for group in design.groups if group.subnet != PRIMARY]
    if not elsewhere:
        return
    names = {subnet.name for subnet in design.network.private_subnets}
    index = {group.name: i for i, group in enumerate(design.profile.compute.groups)}
    for group in elsewhere:
        at = ("compute", "groups", index[group.name], "zone")
        if group.subnet not in names and not _is_public(design, group.subnet):
            zones = ", ".join(subnet.zone for subnet in design.network.private_subnets)
            yield Finding(
                at=at,
                message=f"group {group.name} is in {group.subnet.removeprefix('secondary-')}, but the network has no subnet in "
                "that zone",
                hint=f"set `zone` to one of {zones}",
            )
        elif group.efa_per_node:
            yield Finding(
                at=at,
                message=f"group {group.name} has EFA, so it must be in {design.profile.zone}, the zone of the profile: EFA does "
                "not cross zones",
                hint=f"remove `zone` from group {group.name}",
            )


def _is_public(design: Design, name: str) -> bool:
    """Return whether a subnet exists and is public; NET009 reports it."""
    assert design.network is not None
    return any(subnet.name == name and subnet.public for subnet in design.network.subnets)
