"""The cost report of a plan, item by item."""

from __future__ import annotations

from dataclasses import dataclass

from config.design.money.machines import Cost
from config.records import copied


@dataclass(frozen=True, slots=True, kw_only=True)
class CostReport:
    """One billed item, with USD per hour and per month; these are None without a price or if usage-based.

    `usd_per_unit` is the price of one `unit`; None without a list price. `quantity` is the number of units
    per month if `unit` names a month, and per hour if it does not; None if the number is not known.
    `estimated` is true if the quantity is not a value of the profile. `capacity` is the purchase option of
    instances. Items that are paid in advance have no USD per month. `region` is the Region of the price.
    """

    item: str
    count: int
    usd_per_hour: float | None
    as_of: str | None
    source: str
    note: str
    service: str
    capacity: str | None
    unit: str | None
    quantity: float | None
    usd_per_unit: float | None
    usd_per_month: float | None
    region: str | None
    estimated: bool
    paid_in_advance: bool


def costs_report(cost: Cost) -> tuple[CostReport, ...]:
    """Return the items of a cost in their order."""
    return tuple(
        copied(CostReport, line, as_of=line.as_of.isoformat() if line.as_of else None) for line in cost.lines
    )
