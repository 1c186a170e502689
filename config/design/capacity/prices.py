"""List prices of node groups."""

from __future__ import annotations

from config.catalog import Price
from config.design.capacity.groups import GroupPlan

_PRICE_REGION = "us-east-1"


def listed_price(region: str, group: GroupPlan) -> tuple[Price, float, str] | None:
    """Return the list price of a group's instances, its USD per node and hour, and the Region of the price.

    If the group's Region has no list price, return the price in us-east-1; None if that Region has none
    either.
    """
    return listed_anywhere(region, group, group.purchase.price or "on-demand")


def listed_anywhere(region: str, group: GroupPlan, kind: str) -> tuple[Price, float, str] | None:
    """Return `listed_price` for one type of price: `on-demand` or `capacity-block`."""
    for home in (region, _PRICE_REGION):
        if listed := _listed(group, kind, home):
            return (*listed, home)
    return None


def _listed(group: GroupPlan, kind: str, region: str) -> tuple[Price, float] | None:
    """Return the list price and its USD per node and hour; nodes cost equal parts of an UltraServer."""
    if group.unit is not None:
        price = group.unit.price(kind, group.unit.zone)
        return (price, price.usd_per_hour / group.unit.instances) if price else None
    price = group.instance_type.price(kind, region)
    return (price, price.usd_per_hour) if price else None
