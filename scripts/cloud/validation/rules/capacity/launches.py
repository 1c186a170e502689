"""What EC2 refuses of the capacity that a launch template names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from config.rules.codes import CODES
from config.rules.deployed import machines as codes
from scripts.cloud.validation.rules.reading import Properties, reference_at, value_at
from scripts.cloud.validation.rules.registry import Refusal, Resource, rule

from .interfaces import TEMPLATE, data_of

_DATA = "LaunchTemplateData"
_TARGET = ("CapacityReservationSpecification", "CapacityReservationTarget")
_IDS = ("CapacityReservationId", "CapacityReservationResourceGroupArn")
BLOCK_MARKET = "capacity-block"


def names_a_reservation(data: Properties) -> bool:
    """Whether a launch template's data names a reservation or a group of them, known yet or not."""
    return any(reference_at(data, *_TARGET, name) for name in _IDS)


def buys(data: Properties, market: str) -> bool:
    """Whether a launch template's data has that market type."""
    return bool(value_at(data, "InstanceMarketOptions", "MarketType") == market)


@rule(codes.RESERVATION_IS_NAMED, TEMPLATE)
def target_names_a_reservation(resource: Resource) -> Iterator[Refusal]:
    """CapacityReservationTarget without an id."""
    data = data_of(resource.properties)
    if isinstance(value_at(data, *_TARGET), Mapping) and not names_a_reservation(data):
        path = "/".join((_DATA, *_TARGET))
        yield Refusal(path, "it names no reservation", f"write {' or '.join(_IDS)}, or take the target out")


@rule(codes.BLOCK_IS_NAMED, TEMPLATE)
def block_is_named(resource: Resource) -> Iterator[Refusal]:
    """MarketType capacity-block without an id."""
    data = data_of(resource.properties)
    if buys(data, BLOCK_MARKET) and not names_a_reservation(data):
        yield Refusal(
            f"{_DATA}/InstanceMarketOptions/MarketType",
            f"{BLOCK_MARKET} without a CapacityReservationTarget",
            f"add it with the block's {_IDS[0]}",
        )


@rule(CODES["CAP015"], TEMPLATE)
def block_has_no_placement_group(resource: Resource) -> Iterator[Refusal]:
    """Placement beside MarketType capacity-block."""
    data = data_of(resource.properties)
    for name in ("GroupName", "GroupId"):
        if buys(data, BLOCK_MARKET) and value_at(data, "Placement", name):
            yield Refusal(f"{_DATA}/Placement/{name}", "a placement group on a Capacity Block", "take it out")
