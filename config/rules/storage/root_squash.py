"""Rules for root squash: the features that root squash excludes, and the clients that are exempt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import IPv4Network

from config.design.model import Design
from config.rules.parts import new_lustre
from config.rules.registry import ERROR, WARNING, Finding, rule

_GUIDE = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/root-squash.html"
_LARGEST_BYTE = 255
_PART = re.compile(r"(?P<one>[0-9]{1,3})|\[(?P<low>[0-9]{1,3})-(?P<high>[0-9]{1,3})\]")


@rule(
    "LUS022", ERROR, "`root_squash` and `backups` are not set on the same file system",
    why="FSx does not back up or restore file systems with root squash.",
    source=_GUIDE, reads="storage", where="root-squash",
)  # fmt: skip
def squashed_systems_have_no_backups(design: Design) -> Iterator[Finding]:
    """Check that file systems with root squash have no backups."""
    for at, lustre in new_lustre(design):
        if lustre.backups and lustre.root_squash:
            yield Finding(
                at=(*at, "root_squash"),
                message=f"`root_squash` ({lustre.root_squash.uid}:{lustre.root_squash.gid}) and `backups` are both set, but FSx "
                "does not support them together",
                hint="set `backups: null`, or `root_squash: null`",
            )


@rule(
    "LUS032", WARNING, "at least one client of a file system is exempt from root squash",
    why="Root owns the top directory of a new file system. If root is squashed on every client, users cannot create the first "
    "directories, and the nodes cannot stripe the checkpoint directories.",
    source=_GUIDE, reads="storage", where="root-squash",
)  # fmt: skip
def a_client_is_exempt(design: Design) -> Iterator[Finding]:
    """Check that root squash has exempt clients."""
    for at, lustre in new_lustre(design):
        if lustre.root_squash and not lustre.root_squash.except_clients:
            yield Finding(
                at=(*at, "root_squash"),
                message="root is squashed on every client, so users cannot create the first directories",
                hint="set `except_clients` to the address of the client that creates these directories, such as "
                "`[10.0.0.10@tcp]`, or to a range of addresses",
            )


@rule(
    "LUS033", ERROR, "a client that is exempt from root squash is an address or an address range",
    why="The pattern of the FSx API accepts any digits, hyphens and brackets. With an invalid client the "
    "deployment fails, or the exemption has no effect and root is squashed.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_LustreRootSquashConfiguration.html",
    reads="storage", where="root-squash",
)  # fmt: skip
def exempt_clients_are_addresses(design: Design) -> Iterator[Finding]:
    """Check that each exempt client has four parts, and that each part is a number or a range."""
    for at, lustre in new_lustre(design):
        for index, client in enumerate(lustre.root_squash.except_clients if lustre.root_squash else ()):
            wrong = [part for part in client.removesuffix("@tcp").split(".") if not _is_number_or_range(part)]
            if wrong:
                yield Finding(
                    at=(*at, "root_squash", "except_clients", index),
                    message=f"{client} is not a valid address: {', '.join(wrong)} is neither a number nor a range from 0 to 255",
                    hint="write an address, or ranges from the lower to the higher number, such as 10.0.[2-10].[1-255]@tcp",
                )


@rule(
    "LUS037", WARNING, "a client that is exempt from root squash is in the network",
    why="Clients are exempt by address. If no node has an exempt address, root is also squashed on the node that creates "
    "directories. Clients in other networks and on premises can have other addresses.",
    source=_GUIDE, reads="storage network data", where="root-squash",
)  # fmt: skip
def exempt_clients_are_in_the_network(design: Design) -> Iterator[Finding]:
    """Check the addresses of exempt clients against the CIDR blocks of the VPC, if they are known."""
    for at, lustre in new_lustre(design):
        declared = lustre.root_squash.except_clients if lustre.root_squash else ()
        blocks = _blocks(design) if declared else ()
        for index, client in enumerate(declared if blocks else ()):
            ranges = _ranges(client)
            if ranges and not any(_meets(ranges, block) for block in blocks):
                yield Finding(
                    at=(*at, "root_squash", "except_clients", index),
                    message=f"the exempt client {client} is not in the network {' and '.join(map(str, blocks))}",
                    hint="use addresses of this network; if the client is in another network or on premises, waive this rule",
                )


def _blocks(design: Design) -> tuple[IPv4Network, ...]:
    """Return the CIDR blocks of the VPC; empty if they are unknown or invalid."""
    home = design.profile if design.profile.network else design.data_profile
    network = home.network if home else None
    if network is None:
        return ()
    more = network.vpc_secondary_cidrs if network.kind == "existing" else ()
    try:
        return tuple(IPv4Network(block, strict=False) for block in (network.vpc_cidr, *more))
    except ValueError:
        return ()


def _ranges(client: str) -> tuple[tuple[int, int], ...]:
    """Return the lowest and highest number of each part of an address; empty if a part is invalid."""
    found = [_PART.fullmatch(part) for part in client.removesuffix("@tcp").split(".")]
    return (
        tuple((int(f["low"] or f["one"]), int(f["high"] or f["one"])) for f in found if f)
        if all(found)
        else ()
    )


def _meets(ranges: tuple[tuple[int, int], ...], block: IPv4Network) -> bool:
    """Return whether at least one address of the ranges is in the CIDR block."""
    ends = zip(block.network_address.packed, block.broadcast_address.packed, strict=True)
    return all(
        low <= block_high and block_low <= high
        for (low, high), (block_low, block_high) in zip(ranges, ends, strict=True)
    )


def _is_number_or_range(part: str) -> bool:
    found = _PART.fullmatch(part)
    if found is None:
        return False
    low, high = int(found["low"] or found["one"]), int(found["high"] or found["one"])
    return low <= high <= _LARGEST_BYTE
