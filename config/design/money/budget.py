"""Monthly cost of a cluster at list prices, for the comparison with its budget."""

from __future__ import annotations

from dataclasses import dataclass

from config.design.model import Design
from config.design.money.machines import HOURS_A_MONTH
from config.design.tags import PROFILE_TAG


@dataclass(frozen=True, slots=True, kw_only=True)
class Month:
    """Monthly cost at list prices: `usd` for items billed by the hour, and the names of all other items."""

    usd: float
    unpriced: tuple[str, ...]
    by_use: tuple[str, ...]
    paid_in_advance: tuple[str, ...]


def month_of(design: Design) -> Month:
    """Return the cost of a month in which all nodes run all the time."""
    from config.design.money.costs import (
        plan_cost,  # loads service prices, which only a plan or a budget needs
    )

    advance = tuple(g.name for g in design.groups if g.capacity.paid_in_advance and g.count)
    cost = plan_cost(design)
    owed = [line for line in cost.lines if not line.paid_in_advance]
    return Month(
        usd=sum(line.usd_per_hour or 0 for line in owed) * HOURS_A_MONTH,
        unpriced=tuple(line.item for line in owed if line.usd_per_hour is None and not line.by_use),
        by_use=cost.by_use,
        paid_in_advance=advance,
    )


def cost_filter(profile: str) -> str:
    """Return the filter value with which AWS Budgets selects resources that have the profile's tag.

    Source: https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-create-filters.html
    """
    return f"user:{PROFILE_TAG}${profile}"
