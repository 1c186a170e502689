"""Rules for the network, zone and subnet of existing file systems."""

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
"""EFA clients and the file system must be in one CIDR block of this prefix length (efa-file-systems.html)."""


def _existing(design: Design) -> Iterator[tuple[Path, ExistingLustre | ExistingHome]]:
    for at, lustre in design.placed_lustre:
        if isinstance(lustre, ExistingLustre):
            yield at, lustre
    home = design.profile.storage.home if design.profile.storage else None
    if isinstance(home, ExistingHome):
        yield ("storage", "home"), home


@rule(
    "LUS024", ERROR, "an existing file system is declared in the profile that declares the file system's network",
    why="The stack with the existing network adds rules to the security group of the file system. If two clusters on one data "
    "profile added the same rules, EC2 would reject the second set as duplicates.",
    source=_GROUPS, reads="storage network data",
    where="existing-storage",
)  # fmt: skip
def existing_systems_have_existing_networks(design: Design) -> Iterator[Finding]:
    """Check that an existing file system is declared only once, in the profile of its existing network."""
    network = design.profile.network
    seen: set[str] = set()
    for at, system in _existing(design):
        if system.file_system_id in seen:
            yield Finding(
                at=(*at, "file_system_id"),
                message=f"{system.file_system_id} is declared twice",
                hint="remove one of the two entries",
            )
        seen.add(system.file_system_id)
        if network is None and design.data_profile:
            yield Finding(
                at=at,
                message=f"{system.file_system_id} is declared in this profile, but its network is declared in the profile "
                f"{design.data_profile.name}",
                hint=f"declare the file system in the profile {design.data_profile.name}",
            )
        elif network is not None and network.kind == "new":
            yield Finding(
                at=at,
                message=f"{system.file_system_id} is in another VPC, so nodes in the stack's new VPC cannot reach the file system",
                hint="set `network: {kind: existing, vpc_id: ...}` to the VPC of the file system",
            )


@rule(
    "LUS025", ERROR, "an existing file system with EFA is in the zone and the /16 CIDR block of its clients",
    why="Clients in another zone, or outside the /16 CIDR block, use TCP without an error, at about a tenth of the throughput.",
    source=_EFA, reads=f"storage network data {_ZONES}",
    where="existing-storage",
)  # fmt: skip
def efa_clients_are_in_the_zone_and_block(design: Design) -> Iterator[Finding]:
    """Check the zone and the subnet of existing file systems with EFA."""
    for at, lustre in design.placed_lustre:
        if not isinstance(lustre, ExistingLustre) or not lustre.efa:
            continue
        zones = (lustre.availability_zone_id, lustre.availability_zone)
        if not any(zones):
            yield Finding(
                at=at,
                message=f"the file system {lustre.file_system_id} has EFA, but the profile does not set its zone",
                hint="set `availability_zone_id` to the zone ID of the file system's subnet, from `aws ec2 describe-subnets`",
            )
        elif elsewhere := _elsewhere(design, zones):
            yield Finding(
                at=(*at, "availability_zone_id" if zones[0] else "availability_zone"),
                message=f"the file system {lustre.file_system_id} is in {elsewhere}, but the nodes are in {design.profile.zone}",
                hint=f"set the zone of the profile to {elsewhere}, or set `efa: false`",
            )
        elif (zone := design.profile.zone) and zone not in zones:
            key = "availability_zone_id" if is_zone_id(zone) else "availability_zone"
            yield Finding(
                at=at,
                message=f"the file system {lustre.file_system_id} is in {zones[0] or zones[1]}, and the nodes are in {zone}, but a "
                "zone name and a zone ID cannot be compared",
                hint=f"also set `{key}` of the file system, from `aws ec2 describe-subnets`",
            )
        yield from _block(design, at, lustre)


def _elsewhere(design: Design, zones: tuple[str | None, str | None]) -> str | None:
    """Return the zone of a file system if it differs from the zone of the nodes; None if equal or unknown."""
    zone = design.profile.zone
    theirs = zones[0] if zone and is_zone_id(zone) else zones[1]
    return theirs if theirs and zone and theirs != zone else None


def _block(design: Design, at: Path, lustre: ExistingLustre) -> Iterator[Finding]:
    if lustre.subnet_cidr is None:
        yield Finding(
            at=at,
            message=f"the file system {lustre.file_system_id} has EFA, but the profile does not set the CIDR block of its subnet",
            hint="set `subnet_cidr` to the CIDR block of the file system's subnet, from `aws ec2 describe-subnets`",
        )
        return
    if design.network is None:
        return
    try:
        theirs = ipaddress.IPv4Network(lustre.subnet_cidr)
    except ValueError:
        yield Finding(
            at=(*at, "subnet_cidr"),
            message=f"{lustre.subnet_cidr} is not an IPv4 CIDR block",
            hint="set `subnet_cidr` to the CIDR block of the subnet, such as 10.0.0.0/17",
        )
        return
    ours = ipaddress.IPv4Network(design.network.primary.cidr)
    if theirs.prefixlen < LARGEST_PREFIX:
        yield Finding(
            at=(*at, "subnet_cidr"),
            message=f"{theirs} is not a valid subnet: the largest subnet is a /{LARGEST_PREFIX}",
            hint="set `subnet_cidr` to the CIDR block of the subnet",
        )
    elif _start_of_block(theirs) != _start_of_block(ours):
        yield Finding(
            at=(*at, "subnet_cidr"),
            message=f"the subnet of the file system ({theirs}) and the subnet of the nodes ({ours}) are not in one /{_SAME_BLOCK} "
            "CIDR block",
            hint="use two subnets in one /16 CIDR block, or set `efa: false`",
        )


def _start_of_block(network: ipaddress.IPv4Network) -> int:
    return int(network.network_address) >> (network.max_prefixlen - _SAME_BLOCK)


@rule(
    "LUS030", WARNING, "an existing file system is in the zone of the nodes",
    why="Traffic between zones has a higher latency, and AWS bills it in both directions.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/mounting-on-premises.html",
    reads=f"storage {_ZONES}",
    where="existing-storage",
)  # fmt: skip
def existing_systems_are_in_the_zone(design: Design) -> Iterator[Finding]:
    """Check the zone of existing file systems without EFA."""
    for at, system in _existing(design):
        zones = (system.availability_zone_id, system.availability_zone)
        elsewhere = _elsewhere(design, zones)
        if elsewhere and not (isinstance(system, ExistingLustre) and system.efa):
            yield Finding(
                at=at,
                message=f"the file system {system.file_system_id} is in {elsewhere}, but the nodes are in {design.profile.zone}",
                hint=f"set the zone of the profile to {elsewhere}, or use a file system in {design.profile.zone}",
            )
