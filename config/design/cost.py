"""What a cluster costs an hour, as far as prices are listed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from config.catalog import catalog
from config.design.compute import GroupPlan
from config.profile.compute import TrainingPlan

_PRICE_REGION = "us-east-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class CostLine:
    """One item. `usd_per_hour` is for all of it; None when no price is listed, which is never zero."""

    item: str
    count: int
    usd_per_hour: float | None
    as_of: date | None
    source: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """All items; the total holds only what has a listed price."""

    lines: tuple[CostLine, ...]

    @property
    def usd_per_hour(self) -> float:
        """The sum of the listed prices, in USD an hour."""
        return sum(line.usd_per_hour or 0 for line in self.lines)

    @property
    def unpriced(self) -> tuple[str, ...]:
        """The items without a listed price."""
        return tuple(line.item for line in self.lines if line.usd_per_hour is None)


def plan_cost(region: str, groups: tuple[GroupPlan, ...], others: tuple[str, ...]) -> Cost:
    """The hourly price of the groups, and the other billed items by name."""
    lines = [_group(region, group) for group in groups]
    lines += [
        CostLine(
            item=item,
            count=1,
            usd_per_hour=None,
            as_of=None,
            source="",
            note="no price is listed in the catalogue",
        )
        for item in others
    ]
    return Cost(lines=tuple(lines))


def _group(region: str, group: GroupPlan) -> CostLine:
    item = f"{group.name}: {group.instance_type.name}"
    if isinstance(group.capacity, TrainingPlan):
        note = "paid with the training plan; its price is in the plan's offering"
        return CostLine(item=item, count=group.count, usd_per_hour=None, as_of=None, source="", note=note)
    listed = group.instance_type.price("on-demand", region)
    note = (
        "EC2's on-demand price: HyperPod bills SageMaker's own price for the ml. type, which no source lists"
    )
    if listed is None:
        listed = group.instance_type.price("on-demand", _PRICE_REGION)
        note = f"price of {_PRICE_REGION}, since none is listed for {region}; {note}"
    if listed is None or group.capacity.kind == "spot":
        note = "no price is listed in the catalogue"
        return CostLine(item=item, count=group.count, usd_per_hour=None, as_of=None, source="", note=note)
    return CostLine(
        item=item,
        count=group.count,
        usd_per_hour=group.count * listed.usd_per_hour,
        as_of=listed.as_of,
        source=catalog().sources.get(listed.source, listed.source),
        note=note,
    )
