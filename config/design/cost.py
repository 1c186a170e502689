"""What a cluster costs an hour, as far as prices are listed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date

from config.catalog import Price, catalog
from config.design.compute import GroupPlan
from config.profile.compute import TrainingPlan, instances_of, reservation_of

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


def plan_cost(
    region: str, groups: tuple[GroupPlan, ...], others: tuple[str, ...], *, hyperpod: bool = True
) -> Cost:
    """The hourly price of the groups, and the other billed items by name."""
    named = Counter(reservation_of(group.capacity) for group in groups)
    lines = [
        _group(region, group, hyperpod=hyperpod, alone=named[reservation_of(group.capacity)] == 1)
        for group in groups
    ]
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


def _group(region: str, group: GroupPlan, *, hyperpod: bool, alone: bool) -> CostLine:
    kind = group.capacity.kind
    if kind == "training-plan":
        return _unlisted(group, "paid with the training plan; its price is in the plan's offering")
    if kind == "spot":
        return _unlisted(group, "no price is listed in the catalogue")
    listed = listed_price(region, group)
    if listed is None:
        return _unlisted(group, "no price is listed in the catalogue")
    price, usd_per_node, home = listed
    billed = _billed(group, alone=alone)
    elsewhere = "" if home == region else f"price of {home}, since none is listed for {region}; "
    return CostLine(
        item=_item(group),
        count=billed,
        usd_per_hour=round(billed * usd_per_node, 6),
        as_of=price.as_of,
        source=catalog().sources.get(price.source, price.source),
        note=elsewhere + _note(kind, hyperpod=hyperpod) + _whole_block(group, billed * usd_per_node),
    )


def listed_price(region: str, group: GroupPlan) -> tuple[Price, float, str] | None:
    """The listed price of a group's machines, what it makes for one node an hour, and the Region that has it.

    Where none is listed for the Region itself, that of another one.
    """
    sold_as = "capacity-block" if group.capacity.kind == "capacity-block" else "on-demand"
    for home in (region, _PRICE_REGION):
        if listed := _listed(group, sold_as, home):
            return (*listed, home)
    return None


def _billed(group: GroupPlan, *, alone: bool) -> int:
    """Nodes that are paid for: all that the reservation holds, an UltraServer with its spare.

    Of a reservation that several groups share, each pays for its own nodes.
    """
    held = 0 if isinstance(group.capacity, TrainingPlan) else instances_of(group.capacity) or 0
    return max(held if alone else 0, group.count + group.spare_nodes)


def _listed(group: GroupPlan, kind: str, region: str) -> tuple[Price, float] | None:
    """The listed price, and what it makes for one node: a unit's is shared by its machines."""
    if group.unit is not None:
        price = group.unit.price(kind, group.unit.zone)
        return (price, price.usd_per_hour / group.unit.instances) if price else None
    price = group.instance_type.price(kind, region)
    return (price, price.usd_per_hour) if price else None


def _note(kind: str, *, hyperpod: bool) -> str:
    if kind == "capacity-block":
        return "paid in advance for the whole block, whether machines run or not"
    if hyperpod:
        own = "HyperPod bills SageMaker's own price for the ml. type, which no source lists"
        return f"EC2's on-demand price: {own}"
    reserved = "; a reservation bills it whether machines run or not" if kind == "odcr" else ""
    return f"EC2's on-demand price{reserved}"


def _whole_block(group: GroupPlan, usd_per_hour: float) -> str:
    """What a block of stated dates costs in all."""
    if group.capacity.kind != "capacity-block" or group.window is None or group.window.length is None:
        return ""
    hours = group.window.length.total_seconds() / 3600
    return f"; {group.name} for its {hours:,.0f} hours {hours * usd_per_hour:,.0f} USD"


def _unlisted(group: GroupPlan, note: str) -> CostLine:
    return CostLine(item=_item(group), count=group.count, usd_per_hour=None, as_of=None, source="", note=note)


def _item(group: GroupPlan) -> str:
    return f"{group.name}: {group.instance_type.name}"
