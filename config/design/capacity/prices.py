"""The listed prices of machines."""

from __future__ import annotations

from config.catalog import Price
from config.design.capacity.groups import GroupPlan

_PRICE_REGION = "us-east-1"


def listed_price(region: str, group: GroupPlan) -> tuple[Price, float, str] | None:
    """EC2's listed price of a group's machines, what it makes for a node an hour, and the Region that has it.

    Where none is listed for the Region itself, that of another one.
    """
    return listed_anywhere(region, group, group.purchase.price or "on-demand")


def listed_anywhere(region: str, group: GroupPlan, kind: str) -> tuple[Price, float, str] | None:
    """The same of one kind of price."""
    for home in (region, _PRICE_REGION):
        if listed := _listed(group, kind, home):
            return (*listed, home)
    return None


def _listed(group: GroupPlan, kind: str, region: str) -> tuple[Price, float] | None:
    """The listed price, and what it makes for one node: a unit's is shared by its machines."""
    if group.unit is not None:
        price = group.unit.price(kind, group.unit.zone)
        return (price, price.usd_per_hour / group.unit.instances) if price else None
    price = group.instance_type.price(kind, region)
    return (price, price.usd_per_hour) if price else None
