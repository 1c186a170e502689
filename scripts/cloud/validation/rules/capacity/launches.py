"""Template rules for the reservation in an EC2 launch template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from config.rules.codes import CODES
from config.rules.deployed import machines as codes
from scripts.cloud.validation.rules.reading import Properties, reference_at, value_at
from scripts.cloud.validation.rules.registry import Resource, Violation, rule

from .interfaces import TEMPLATE, data_of

_DATA = "LaunchTemplateData"
_TARGET = ("CapacityReservationSpecification", "CapacityReservationTarget")
_IDS = ("CapacityReservationId", "CapacityReservationResourceGroupArn")
BLOCK_MARKET = "capacity-block"


def names_a_reservation(data: Properties) -> bool:
    """Return whether a launch template refers to a reservation or to a resource group of reservations."""
    return any(reference_at(data, *_TARGET, name) for name in _IDS)


def buys(data: Properties, market: str) -> bool:
    """Return whether a launch template's data has that market type."""
    return bool(value_at(data, "InstanceMarketOptions", "MarketType") == market)


@rule(codes.RESERVATION_IS_NAMED, TEMPLATE)
def target_names_a_reservation(resource: Resource) -> Iterator[Violation]:
    """Check that CapacityReservationTarget has an id."""
    data = data_of(resource.properties)
    if isinstance(value_at(data, *_TARGET), Mapping) and not names_a_reservation(data):
        path = "/".join((_DATA, *_TARGET))
        yield Violation(
            path,
            f"{_TARGET[-1]} does not name a reservation",
            f"set {' or '.join(_IDS)}, or remove {_TARGET[-1]}",
        )


@rule(codes.BLOCK_IS_NAMED, TEMPLATE)
def block_is_named(resource: Resource) -> Iterator[Violation]:
    """Check that MarketType `capacity-block` has a reservation id."""
    data = data_of(resource.properties)
    if buys(data, BLOCK_MARKET) and not names_a_reservation(data):
        yield Violation(
            f"{_DATA}/InstanceMarketOptions/MarketType",
            f"MarketType {BLOCK_MARKET} requires a CapacityReservationTarget",
            f"add a CapacityReservationTarget with the {_IDS[0]} of the Capacity Block",
        )


@rule(CODES["CAP015"], TEMPLATE)
def block_has_no_placement_group(resource: Resource) -> Iterator[Violation]:
    """Check that MarketType `capacity-block` does not have a placement group."""
    data = data_of(resource.properties)
    for name in ("GroupName", "GroupId"):
        if buys(data, BLOCK_MARKET) and value_at(data, "Placement", name):
            yield Violation(
                f"{_DATA}/Placement/{name}",
                "a Capacity Block does not accept a placement group",
                f"remove {name}",
            )
