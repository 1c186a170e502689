"""File systems that exist already: the network, zone and block that they stand in."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from config.design.model import Design
from config.design.network.plan import LARGEST_PREFIX
from config.design.zones import is_zone_id
from config.diagnostics import Path
from config.profile.storage.home import ExistingHome
from config.profile.storage.lustre import ExistingLustre
from config.rules.registry import ERROR, WARNING, Finding, rule

_EFA = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html"
_GROUPS = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html"
_ZONES = "availability_zone availability_zone_id"
_SAME_BLOCK = 16
"""EFA clients and file system share a block of this prefix (efa-file-systems.html)."""


def _existing(design: Design) -> Iterator[tuple[Path, ExistingLustre | ExistingHome]]:
    for at, lustre in design.placed_lustre:
        if isinstance(lustre, ExistingLustre):
            yield at, lustre
    home = design.profile.storage.home if design.profile.storage else None
    if isinstance(home, ExistingHome):
        yield ("storage", "home"), home


@rule(
    "LUS024", ERROR, "a file system that exists is stated beside the network that it stands in",
    why="It stands in a VPC that exists, and the rules that let nodes in belong to the stack of their security group: "
    "two clusters on one data profile would both add them, and EC2 refuses the second.",
    source=_GROUPS, reads="storage network data",
    where="existing-storage",
)  # fmt: skip
def existing_systems_stand_in_existing_networks(design: Design) -> Iterator[Finding]:
    """The network of a profile with an existing file system."""
    network = design.profile.network
    seen: set[str] = set()
    for at, system in _existing(design):
        if system.file_system_id in seen:
            yield Finding(
                at=(*at, "file_system_id"),
                message=f"{system.file_system_id} is stated twice",
                hint="mount it once, and take the other entry out",
            )
        seen.add(system.file_system_id)
        if network is None and design.data_profile:
            yield Finding(
                at=at,
                message=f"{system.file_system_id} exists, and the network is that of {design.data_profile.name}",
                hint=f"state it in {design.data_profile.name}, beside the network",
            )
        elif network is not None and network.kind == "new":
            yield Finding(
                at=at,
                message=f"{system.file_system_id} exists, and the network is made with the stack: they are not in one VPC",
                hint="write `network: {kind: existing, ...}` with the file system's VPC",
            )


@rule(
    "LUS025", ERROR, "an EFA file system that exists is in the zone and the /16 block of its clients",
    why="Across zones, and beyond a block of /16, clients fall back to TCP, at a tenth of the speed, without an error.",
    source=_EFA, reads=f"storage network data {_ZONES}",
    where="existing-storage",
)  # fmt: skip
def efa_systems_are_near(design: Design) -> Iterator[Finding]:
    """Zone and block of existing file systems with EFA."""
    for at, lustre in design.placed_lustre:
        if not isinstance(lustre, ExistingLustre) or not lustre.efa:
            continue
        zones = (lustre.availability_zone_id, lustre.availability_zone)
        if not any(zones):
            yield Finding(
                at=at,
                message=f"no zone of {lustre.file_system_id}, which has EFA",
                hint="write `availability_zone_id`, as `aws ec2 describe-subnets` gives it for its subnet",
            )
        elif elsewhere := _elsewhere(design, zones):
            yield Finding(
                at=(*at, "availability_zone_id" if zones[0] else "availability_zone"),
                message=f"{lustre.file_system_id} is in {elsewhere}, the nodes are in {design.profile.zone}",
                hint="take the file system's zone for the cluster, or `efa: false`",
            )
        elif (zone := design.profile.zone) and zone not in zones:
            key = "availability_zone_id" if is_zone_id(zone) else "availability_zone"
            yield Finding(
                at=at,
                message=f"{lustre.file_system_id} is in {zones[0] or zones[1]}, the nodes are in {zone}: "
                "a name and an id of zones do not compare",
                hint=f"write `{key}` of the file system too, as `aws ec2 describe-subnets` gives it",
            )
        yield from _block(design, at, lustre)


def _elsewhere(design: Design, zones: tuple[str | None, str | None]) -> str | None:
    """The zone of a file system where it is known to be another one than the nodes'."""
    zone = design.profile.zone
    theirs = zones[0] if zone and is_zone_id(zone) else zones[1]
    return theirs if theirs and zone and theirs != zone else None


def _block(design: Design, at: Path, lustre: ExistingLustre) -> Iterator[Finding]:
    if lustre.subnet_cidr is None:
        yield Finding(
            at=at,
            message=f"no block of the subnet of {lustre.file_system_id}, which has EFA",
            hint="write `subnet_cidr`, as `aws ec2 describe-subnets` gives it",
        )
        return
    if design.network is None:
        return
    try:
        theirs = ipaddress.IPv4Network(lustre.subnet_cidr)
    except ValueError:
        yield Finding(
            at=(*at, "subnet_cidr"),
            message=f"{lustre.subnet_cidr} is not an IPv4 block",
            hint="write the subnet's block, such as 10.0.0.0/17",
        )
        return
    ours = ipaddress.IPv4Network(design.network.primary.cidr)
    if theirs.prefixlen < LARGEST_PREFIX:
        yield Finding(
            at=(*at, "subnet_cidr"),
            message=f"no subnet has the block {theirs}: the largest is /{LARGEST_PREFIX}",
            hint="write the block that the subnet has",
        )
    elif _start_of_block(theirs) != _start_of_block(ours):
        yield Finding(
            at=(*at, "subnet_cidr"),
            message=f"{theirs} and the nodes' {ours} are not in one block of /{_SAME_BLOCK}",
            hint="take subnets of one /16 block, or `efa: false`",
        )


def _start_of_block(network: ipaddress.IPv4Network) -> int:
    return int(network.network_address) >> (network.max_prefixlen - _SAME_BLOCK)


@rule(
    "LUS030", WARNING, "a file system that exists is in the zone of the nodes",
    why="Traffic between zones is slower and billed in both directions.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/mounting-on-premises.html",
    reads=f"storage {_ZONES}",
    where="existing-storage",
)  # fmt: skip
def existing_systems_are_in_the_zone(design: Design) -> Iterator[Finding]:
    """The zone of existing file systems without EFA."""
    for at, system in _existing(design):
        zones = (system.availability_zone_id, system.availability_zone)
        elsewhere = _elsewhere(design, zones)
        if elsewhere and not (isinstance(system, ExistingLustre) and system.efa):
            yield Finding(
                at=at,
                message=f"{system.file_system_id} is in {elsewhere}, the nodes are in {design.profile.zone}",
                hint="take the file system's zone for the cluster, or one in the cluster's zone",
            )
