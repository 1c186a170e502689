"""Validation of the NFS exports of OpenZFS volumes, including options that can lose files."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import AddressValueError, IPv4Network, IPv6Network, NetmaskValueError

from config.rules.deployed import openzfs as codes
from scripts.cloud.validation.rules.reading import Properties, structures_at, text_at, texts_at
from scripts.cloud.validation.rules.registry import Resource, Violation, rule

from .lustre import SYSTEM

_VOLUME = "AWS::FSx::Volume"
_EXPORTS = {
    SYSTEM: ("OpenZFSConfiguration", "RootVolumeConfiguration", "NfsExports"),
    _VOLUME: ("OpenZFSConfiguration", "NfsExports"),
}


def _clients(resource: Resource) -> Iterator[tuple[str, Properties]]:
    """Yield each client configuration with its path."""
    exports = _EXPORTS[resource.type]
    for number, export in structures_at(resource.properties, *exports):
        for place, client in structures_at(export, "ClientConfigurations"):
            yield f"{'/'.join(exports)}/{number}/ClientConfigurations/{place}", client


def _is_block(text: str) -> bool:
    for kind in (IPv4Network, IPv6Network):
        try:
            kind(text, strict=False)
        except (AddressValueError, NetmaskValueError, ValueError):
            continue
        return True
    return False


@rule(codes.EXPORT_CLIENTS, SYSTEM, _VOLUME)
def clients_are_addresses(resource: Resource) -> Iterator[Violation]:
    """Check the clients of each export."""
    for path, client in _clients(resource):
        named = text_at(client, "Clients")
        if named is not None and named != "*" and not _is_block(named):
            message = f"{named!r} is not an IP address or a CIDR block"
            yield Violation(f"{path}/Clients", message, "use the CIDR block of the nodes' VPC")


@rule(codes.EXPORT_SYNC, SYSTEM, _VOLUME)
def exports_are_synchronous(resource: Resource) -> Iterator[Violation]:
    """Check the options of each export."""
    for path, client in _clients(resource):
        for number, option in texts_at(client, "Options"):
            if option == "async":
                yield Violation(
                    f"{path}/Options/{number}",
                    "the export option async can lose files if the server fails",
                    "use the option sync",
                )
