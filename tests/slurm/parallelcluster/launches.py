"""Comparable launches: launch template data of ultracluster and of ParallelCluster."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
Place = tuple[int, str]
"""A network card, and the type of an interface on it."""


@dataclass(frozen=True, kw_only=True)
class Launch:
    """Interfaces, market, reservation and placement in a launch template."""

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
        """Keys of the interfaces other than their location."""
        place = {"NetworkCardIndex", "DeviceIndex", "InterfaceType"}
        said = (item for interface in self.interfaces for item in interface.items())
        return {f"{key}: {value}" for key, value in said if key not in place}


def launch(data: Mapping[str, Any]) -> Launch:
    """Return the comparable part of launch template data; groups and subnets are only counted as set."""
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
    """Yield each difference as text; equal differences have equal text."""
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
    """Yield interfaces that only one side has, and interfaces with another device index."""
    found: dict[str, list[int]] = {}
    for card, kind in sorted(ours.keys() | theirs.keys()):
        here, there = ours.get((card, kind)), theirs.get((card, kind))
        if here is None or there is None:
            found.setdefault(f"only {'theirs' if here is None else 'ours'}: {kind}", []).append(card)
        elif here != there:
            found.setdefault(f"{kind} at device {here} ours, {there} theirs", []).append(card)
    yield from (f"{description}, on cards {ranges(cards)}" for description, cards in found.items())


def ranges(cards: Sequence[int]) -> str:
    """Return ascending card indexes as ranges: `1-31`, `2-4 6-8`."""
    runs: list[list[int]] = []
    for card in cards:
        if runs and card == runs[-1][-1] + 1:
            runs[-1].append(card)
        else:
            runs.append([card])
    return " ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)
