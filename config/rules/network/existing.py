"""Rules for the zones and CIDR blocks of an existing network in the profile."""

from __future__ import annotations

import ipaddress
from collections import defaultdict
from collections.abc import Iterator

from config.design.capacity.groups import GroupPlan
from config.design.model import Design
from config.design.network.plan import LARGEST_PREFIX, SMALLEST_BLOCK, first_overlap
from config.diagnostics import Path
from config.profile.network import ExistingNetwork
from config.rules.registry import ERROR, Finding, rule

_SUBNETS = "https://docs.aws.amazon.com/vpc/latest/userguide/configure-subnets.html"
_PCS = "https://docs.aws.amazon.com/pcs/latest/userguide/working-with_networking_vpc-requirements.html"
Block = ipaddress.IPv4Network


@rule(
    "NET005", ERROR, "an existing network has a subnet in the cluster's zone and consistent CIDR blocks",
    why="Nodes and file systems use the subnet in the profile's zone. ultracluster does not query EC2 for the CIDR blocks, so it "
    "finds a typing error only if the CIDR blocks contradict each other.",
    source=_SUBNETS, reads="network availability_zone availability_zone_id", where="existing-network",
)  # fmt: skip
def existing_network_is_consistent(design: Design) -> Iterator[Finding]:
    """Check zones, CIDR blocks and ids of an existing network."""
    network = design.profile.network
    if network is None or network.kind != "existing":
        return
    theirs = [
        zone for subnet in network.subnets for zone in (subnet.availability_zone_id, subnet.availability_zone)
    ]
    if design.profile.zone and design.profile.zone not in theirs:
        zones = ", ".join(zone for zone in theirs if zone) or "missing"
        yield Finding(
            at=("network", "subnets"),
            message=f"the zone of the profile is {design.profile.zone}, but the zones of the subnets are {zones}",
            hint=f"add a subnet in {design.profile.zone}; or, if the zones are written in different forms, use only zone names or "
            "only zone ids in the profile and its subnets",
        )
    for i, subnet in enumerate(network.subnets):
        at = ("network", "subnets", i)
        if (subnet.availability_zone is None) == (subnet.availability_zone_id is None):
            yield Finding(
                at=at,
                message=f"{subnet.id} must have either `availability_zone` or `availability_zone_id`",
                hint="set only `availability_zone_id` for the subnet",
            )
        theirs_too = {subnet.availability_zone, subnet.availability_zone_id} - {None}
        for other in network.subnets[:i]:
            if subnet.id == other.id:
                yield Finding(at=(*at, "id"), message=f"{subnet.id} is listed twice", hint="remove one entry")
            elif theirs_too & {other.availability_zone, other.availability_zone_id}:
                yield Finding(
                    at=at,
                    message=f"{other.id} and {subnet.id} are both in {', '.join(sorted(map(str, theirs_too)))}",
                    hint="keep the subnet for nodes and file systems, and remove the other subnet",
                )
    yield from _inconsistent_vpc_cidrs(network)


def _inconsistent_vpc_cidrs(network: ExistingNetwork) -> Iterator[Finding]:
    declared: list[tuple[Path, str]] = [(("network", "vpc_cidr"), network.vpc_cidr)]
    declared += [
        (("network", "vpc_secondary_cidrs", i), cidr) for i, cidr in enumerate(network.vpc_secondary_cidrs)
    ]
    blocks: list[Block] = []
    for at, cidr in declared:
        block = _block(cidr)
        if isinstance(block, str):
            message = f"{cidr} is not an IPv4 CIDR block: {block}"
            yield Finding(at=at, message=message, hint="set `vpc_cidr` as in the VPC")
            continue
        if not LARGEST_PREFIX <= block.prefixlen <= SMALLEST_BLOCK:
            yield Finding(
                at=at,
                message=f"{block} has the wrong size for a VPC: allowed are /{LARGEST_PREFIX} to /{SMALLEST_BLOCK}",
                hint="set `vpc_cidr` as in the VPC",
            )
        other = first_overlap(block, blocks)
        if other is not None:
            message = f"{block} and {other} overlap"
            yield Finding(at=at, message=message, hint="set CIDR blocks as in the VPC")
        blocks.append(block)
    if len(blocks) == len(declared):
        yield from _inconsistent_subnet_cidrs(network, blocks)


def _inconsistent_subnet_cidrs(network: ExistingNetwork, blocks: list[Block]) -> Iterator[Finding]:
    seen: list[Block] = []
    for i, subnet in enumerate(network.subnets):
        at, block = ("network", "subnets", i, "cidr"), _block(subnet.cidr)
        if isinstance(block, str):
            message = f"{subnet.cidr} is not an IPv4 CIDR block: {block}"
            yield Finding(at=at, message=message, hint="set `cidr` to the CIDR block of the subnet")
            continue
        if not LARGEST_PREFIX <= block.prefixlen <= SMALLEST_BLOCK:
            yield Finding(
                at=at,
                message=f"{block} has the wrong size for a subnet: allowed are /{LARGEST_PREFIX} to /{SMALLEST_BLOCK}",
                hint="set `cidr` to the CIDR block of the subnet",
            )
        if not any(block.subnet_of(whole) for whole in blocks):
            yield Finding(
                at=at,
                message=f"{subnet.cidr} is not inside {' or '.join(map(str, blocks))}",
                hint="correct `vpc_cidr` or the subnet's `cidr`, or add a secondary CIDR block of the VPC to `vpc_secondary_cidrs`",
            )
        other = first_overlap(block, seen)
        if other is not None:
            message = f"{block} and {other} overlap"
            yield Finding(at=at, message=message, hint="set `cidr` to the CIDR block of each subnet")
        seen.append(block)


def _block(cidr: str) -> Block | str:
    """Return the network of a CIDR block, or the reason why `ipaddress` rejects it."""
    try:
        return Block(cidr)
    except ValueError as error:
        text = str(error)
        if "host bits" in text:
            return "it does not start on its boundary"
        return text[:1].lower() + text[1:]


@rule(
    "NET009", ERROR, "nodes without a public address are in private subnets",
    why="EC2 does not assign a public address to an instance with several interfaces. HyperPod does not assign a public address "
    "to any node. Without a public address, a node in a public subnet has no internet access, and cannot reach the control plane "
    "or install software (EC2-08, EKS-08).",
    source=_PCS, reads="network data compute orchestrator availability_zone availability_zone_id",
)  # fmt: skip
def nodes_are_in_private_subnets(design: Design) -> Iterator[Finding]:
    """Report groups in subnets with `public: true`."""
    if design.network is None:
        return
    ids = {subnet.name: subnet for subnet in design.network.subnets if subnet.public and subnet.id}
    if not ids:
        return
    hyperpod = design.profile.orchestrator is not None and design.profile.orchestrator.kind.startswith(
        "hyperpod"
    )
    there: dict[str, list[tuple[Path, GroupPlan]]] = defaultdict(list)
    for at, _, plan in design.planned_groups:
        if plan.subnet in ids and (hyperpod or plan.interfaces_per_node > 1):
            there[plan.subnet].append((at, plan))
    for name, members in there.items():
        most = max(plan.interfaces_per_node for _, plan in members)
        reason = (
            "HyperPod does not assign public addresses"
            if hyperpod
            else f"a node with {most} interfaces gets no public address"
        )
        subnet_id = ids[name].id
        yield Finding(
            at=members[0][0] if design.profile.network is None else _subnet_place(design, subnet_id),
            message=f"nodes of group {', '.join(plan.name for _, plan in members)} have no internet access in the public subnet "
            f"{subnet_id}: {reason}",
            hint="use a private subnet in this zone, with a route to a NAT gateway or with interface endpoints",
        )


def _subnet_place(design: Design, subnet_id: str | None) -> Path:
    network = design.profile.network
    assert isinstance(network, ExistingNetwork)  # the subnet has an id
    return ("network", "subnets", [subnet.id for subnet in network.subnets].index(subnet_id or ""), "public")
