"""What a month of a cluster costs by the listed prices, as far as a budget can see it."""

from __future__ import annotations

from dataclasses import dataclass

from config.design.cost import Cost
from config.design.model import Design
from config.design.tags import PROFILE_TAG

HOURS_A_MONTH = 730
"""8760 hours of a year by 12, as AWS's own calculator counts a month."""

PAID_IN_ADVANCE = ("capacity-block", "training-plan")
"""Kinds of capacity that are paid when they are bought, and not by the hour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Month:
    """A month by the listed prices: `usd` for what is billed by the hour, and what has no price by name."""

    usd: float
    unpriced: tuple[str, ...]
    paid_in_advance: tuple[str, ...]


def month_of(design: Design) -> Month:
    """What the machines of a profile cost in a month, whole and all of the time."""
    advance = tuple(
        group.name for group in design.groups if group.capacity.kind in PAID_IN_ADVANCE and group.count
    )
    hourly = [line for line in design.cost.lines if line.item.partition(":")[0] not in advance]
    return Month(
        usd=Cost(lines=tuple(hourly)).usd_per_hour * HOURS_A_MONTH,
        unpriced=Cost(lines=tuple(hourly)).unpriced,
        paid_in_advance=advance,
    )


def cost_filter(profile: str) -> str:
    """The profile's tag as AWS Budgets writes it: a tag of the user's, key and value.

    Source: https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-create-filters.html
    """
    return f"user:{PROFILE_TAG}${profile}"
