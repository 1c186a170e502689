"""What a cluster costs, item by item, as a plan shows it."""

from __future__ import annotations

from dataclasses import dataclass

from config.design.money.machines import Cost
from config.records import copied


@dataclass(frozen=True, slots=True, kw_only=True)
class CostReport:
    """One billed item; USD an hour and a month for all of it, None where none is listed or its use decides.

    `usd_per_unit` of `unit` is listed where there is a price, for a `quantity` where one is known: of a unit
    of months in a month, of others in each hour. `estimated`: the quantity is no figure of the profile.
    `capacity` is how machines are bought. What is paid in advance is in no month. `region` has that price.
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
    """The items of a cost in their order."""
    return tuple(
        copied(CostReport, line, as_of=line.as_of.isoformat() if line.as_of else None) for line in cost.lines
    )
