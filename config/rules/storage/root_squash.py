"""Root of clients as an ordinary user: what it goes with, and the clients that are spared."""

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
    "LUS022", ERROR, "root squash and backups are not on one file system",
    why="FSx does not back up or restore a file system with root squash.",
    source=_GUIDE, reads="storage", where="root-squash",
)  # fmt: skip
def squashed_systems_take_no_backups(design: Design) -> Iterator[Finding]:
    """Backups beside root squash."""
    for at, lustre in new_lustre(design):
        if lustre.backups and lustre.root_squash:
            yield Finding(
                at=(*at, "root_squash"),
                message=f"root squash {lustre.root_squash.uid}:{lustre.root_squash.gid} beside backups",
                hint="write `backups: null`, or `root_squash: null`",
            )


@rule(
    "LUS032", WARNING, "root stays root on one client of a file system with root squash",
    why="The top of a new file system belongs to root: where root is squashed everywhere, nobody can make the first "
    "directories there, and the nodes cannot stripe those of checkpoints.",
    source=_GUIDE, reads="storage", where="root-squash",
)  # fmt: skip
def somebody_is_root(design: Design) -> Iterator[Finding]:
    """Clients that are excepted from root squash."""
    for at, lustre in new_lustre(design):
        if lustre.root_squash and not lustre.root_squash.except_clients:
            yield Finding(
                at=(*at, "root_squash"),
                message="root is squashed on every client: nobody can make the first directories",
                hint="name the client that makes them, such as `except_clients: [10.0.0.10@tcp]`, or a range",
            )


@rule(
    "LUS033", ERROR, "a client that keeps root is an address, or ranges of addresses",
    why="FSx's own pattern lets anything of digits, hyphens and brackets through; a client that is none fails the "
    "deployment, or is spared nowhere, and its root is squashed.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_LustreRootSquashConfiguration.html",
    reads="storage", where="root-squash",
)  # fmt: skip
def spared_clients_are_addresses(design: Design) -> Iterator[Finding]:
    """The four numbers, or ranges, of each client."""
    for at, lustre in new_lustre(design):
        for index, client in enumerate(lustre.root_squash.except_clients if lustre.root_squash else ()):
            wrong = [part for part in client.removesuffix("@tcp").split(".") if not _is_number_or_range(part)]
            if wrong:
                yield Finding(
                    at=(*at, "root_squash", "except_clients", index),
                    message=f"{client}: {', '.join(wrong)} is neither a number nor a range of 0 to 255",
                    hint="write an address, or ranges from the lower to the higher number: 10.0.[2-10].[1-255]@tcp",
                )


@rule(
    "LUS037", WARNING, "a client that keeps root is in the network",
    why="The exception is by address: one that no node of the network has spares nobody, and root is squashed where it "
    "was to make directories. Clients in other networks and on premises have other addresses.",
    source=_GUIDE, reads="storage network data", where="root-squash",
)  # fmt: skip
def spared_clients_are_in_the_network(design: Design) -> Iterator[Finding]:
    """Addresses of clients against the blocks of the VPC, where they are known."""
    for at, lustre in new_lustre(design):
        stated = lustre.root_squash.except_clients if lustre.root_squash else ()
        blocks = _blocks(design) if stated else ()
        for index, client in enumerate(stated if blocks else ()):
            ranges = _ranges(client)
            if ranges and not any(_meets(ranges, block) for block in blocks):
                yield Finding(
                    at=(*at, "root_squash", "except_clients", index),
                    message=f"{client} is no address of the network's {' and '.join(map(str, blocks))}",
                    hint="name clients by addresses of the network, unless they are in another one, such as on premises",
                )


def _blocks(design: Design) -> tuple[IPv4Network, ...]:
    """The blocks of the VPC; none where they are unknown or no blocks."""
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
    """The lowest and highest number of each of the four parts; empty where one is none."""
    found = [_PART.fullmatch(part) for part in client.removesuffix("@tcp").split(".")]
    return (
        tuple((int(f["low"] or f["one"]), int(f["high"] or f["one"])) for f in found if f)
        if all(found)
        else ()
    )


def _meets(ranges: tuple[tuple[int, int], ...], block: IPv4Network) -> bool:
    """Whether some address of the ranges is in the block: a block's parts are ranges too."""
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
