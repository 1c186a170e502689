"""How machines are launched, reduced to what can be compared: our launch template data, and theirs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
Place = tuple[int, str]
"""A network card, and the kind of interface on it."""


@dataclass(frozen=True, kw_only=True)
class Launch:
    """What a launch template says of interfaces, market, reservation and placement."""

    interfaces: tuple[Json, ...]
    rest: Json

    @property
    def devices(self) -> dict[Place, int]:
        """Device index of each interface."""
        found = {
            (interface["NetworkCardIndex"], interface["InterfaceType"]): interface["DeviceIndex"]
            for interface in self.interfaces
        }
        assert len(found) == len(self.interfaces), "a card has two interfaces of one kind"
        return found

    def keys(self) -> set[str]:
        """Keys of the interfaces that say more than where an interface is."""
        place = {"NetworkCardIndex", "DeviceIndex", "InterfaceType"}
        said = (item for interface in self.interfaces for item in interface.items())
        return {f"{key}: {value}" for key, value in said if key not in place}


def launch(data: Mapping[str, Any]) -> Launch:
    """The comparable part of launch template data: groups and subnets are named, not looked into."""
    interfaces = [
        {"InterfaceType": "interface"}
        | {key: value for key, value in one.items() if key not in ("Groups", "SubnetId")}
        | {key: "given" for key in ("Groups", "SubnetId") if one.get(key)}
        for one in data["NetworkInterfaces"]
    ]
    rest = ("InstanceType", "InstanceMarketOptions", "CapacityReservationSpecification", "Placement")
    return Launch(
        interfaces=tuple(interfaces), rest={key: data[key] for key in rest if data.get(key) not in (None, {})}
    )


def differences(ours: Launch, theirs: Launch) -> Iterator[str]:
    """Each difference in words that are the same for like differences."""
    yield from _interfaces(ours.devices, theirs.devices)
    yield from (f"only ours: interfaces with {key}" for key in sorted(ours.keys() - theirs.keys()))
    yield from (f"only theirs: interfaces with {key}" for key in sorted(theirs.keys() - ours.keys()))
    for key in sorted(ours.rest.keys() | theirs.rest.keys()):
        here, there = ours.rest.get(key), theirs.rest.get(key)
        if here is None or there is None:
            yield f"only {'theirs' if here is None else 'ours'}: {key}"
        elif here != there:
            yield f"{key}: {json.dumps(here)} ours, {json.dumps(there)} theirs"


def _interfaces(ours: Mapping[Place, int], theirs: Mapping[Place, int]) -> Iterator[str]:
    """Interfaces of one side, and those of both that are on other devices of their card."""
    found: dict[str, list[int]] = {}
    for card, kind in sorted(ours.keys() | theirs.keys()):
        here, there = ours.get((card, kind)), theirs.get((card, kind))
        if here is None or there is None:
            found.setdefault(f"only {'theirs' if here is None else 'ours'}: {kind}", []).append(card)
        elif here != there:
            found.setdefault(f"{kind} at device {here} ours, {there} theirs", []).append(card)
    yield from (f"{words}, on cards {ranges(cards)}" for words, cards in found.items())


def ranges(cards: Sequence[int]) -> str:
    """Ascending card indexes in few words: `1-31`, `2-4 6-8`."""
    runs: list[list[int]] = []
    for card in cards:
        if runs and card == runs[-1][-1] + 1:
            runs[-1].append(card)
        else:
            runs.append([card])
    return " ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)
