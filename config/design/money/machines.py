"""Cost items, and the instance cost of a cluster at list prices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date

from config.catalog import Price, catalog
from config.design.capacity.groups import GroupPlan
from config.design.capacity.prices import listed_anywhere, listed_price

HOURS_A_MONTH = 730
"""8760 hours of a year divided by 12, as in the AWS Pricing Calculator."""

_AT_MOST = "the price if all nodes of the group run; nodes run only while jobs need them"
_BY_DEMAND = "nodes run only while jobs need them, so the number of nodes is not known"

UNLISTED = "the catalogue has no price"
LISTED = "at the listed price"


@dataclass(frozen=True, slots=True, kw_only=True)
class CostLine:
    """A cost item.

    `usd_per_hour` is the price of the whole item. It is None (unknown, not zero) for items without a list
    price and for usage-based items, which have `usd_per_unit`. `quantity` is the number of `unit` billed in
    each hour, or in each month for a monthly unit. `estimated` is True if the profile does not set the
    quantity. `capacity` is the purchase option; None if the item is not for instances. `paid_in_advance` is
    True for Capacity Blocks and training plans, which are not in monthly bills. `region` is the Region of the
    price.
    """

    item: str
    count: int
    usd_per_hour: float | None
    as_of: date | None
    source: str
    note: str
    service: str = "Amazon EC2"
    capacity: str | None = None
    unit: str | None = None
    quantity: float | None = None
    usd_per_unit: float | None = None
    region: str | None = None
    estimated: bool = False
    paid_in_advance: bool = False

    @property
    def usd_per_month(self) -> float | None:
        """USD for 730 hours; None without a list price, and for capacity that is paid in advance."""
        if self.usd_per_hour is None or self.paid_in_advance:
            return None
        return round(self.usd_per_hour * HOURS_A_MONTH, 2)

    @property
    def by_use(self) -> bool:
        """True if the price per unit is listed and the quantity is not known."""
        return self.usd_per_hour is None and self.usd_per_unit is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """All cost items; totals contain only items with a list price."""

    lines: tuple[CostLine, ...]

    @property
    def usd_per_hour(self) -> float:
        """Total at list prices in USD per hour."""
        return sum(line.usd_per_hour for line in self.lines if line.usd_per_hour is not None)

    @property
    def usd_per_month(self) -> float:
        """Total of a month at list prices, without capacity that is paid in advance."""
        hourly = (line.usd_per_hour for line in self.lines if not line.paid_in_advance)
        return sum(usd for usd in hourly if usd is not None) * HOURS_A_MONTH

    @property
    def unpriced(self) -> tuple[str, ...]:
        """Items without a list price."""
        return tuple(line.item for line in self.lines if line.usd_per_hour is None and not line.by_use)

    @property
    def by_use(self) -> tuple[str, ...]:
        """Usage-based items: the price per unit is listed, the quantity is not known."""
        return tuple(line.item for line in self.lines if line.by_use)


def machine_costs(
    region: str, groups: Iterable[GroupPlan], *, hyperpod: bool, as_needed: frozenset[str] = frozenset()
) -> tuple[CostLine, ...]:
    """Return the hourly cost of each group's instances; for groups in `as_needed`, the cost of all nodes."""
    found = tuple(groups)
    unused = _unused(found)
    lines = (_group(region, group, hyperpod=hyperpod, unused=unused.get(group.name, 0)) for group in found)
    return tuple(
        _as_needed(line) if group.name in as_needed and not group.capacity.reserved else line
        for group, line in zip(found, lines, strict=True)
    )


def _as_needed(line: CostLine) -> CostLine:
    """Return the item of a group in `as_needed`: the cost of all nodes, or the price of one node."""
    if line.usd_per_unit is None:
        return line
    if line.count:
        return replace(line, note=f"{line.note}; {_AT_MOST}")
    return replace(
        line, usd_per_hour=None, quantity=None, unit="node-hour", note=f"{line.note}; {_BY_DEMAND}"
    )


def _group(region: str, group: GroupPlan, *, hyperpod: bool, unused: int) -> CostLine:
    service = "Amazon SageMaker" if hyperpod else "Amazon EC2"
    if group.purchase.plan:
        return _unlisted(
            group, "paid in advance with the training plan, whose offering shows the price", service
        )
    if not group.purchase.price:
        return _unlisted(group, UNLISTED, service)
    listed = (hyperpod and listed_anywhere(region, group, "hyperpod")) or listed_price(region, group)
    if not listed:
        return _unlisted(group, UNLISTED, service)
    price, usd_per_node, home = listed
    billed = group.count + group.spare_nodes + unused
    elsewhere = (
        "" if home == region else f"price in {home}, because the catalogue has no price for {region}; "
    )
    return CostLine(
        item=_item(group),
        count=billed,
        usd_per_hour=round(billed * usd_per_node, 6),
        as_of=price.as_of,
        source=catalog().sources.get(price.source, price.source),
        note=elsewhere
        + _note(group, price, hyperpod=hyperpod)
        + _whole_block(group, billed * usd_per_node)
        + (f"; the price includes {unused} reserved instances that no group uses" if unused else ""),
        service=service,
        capacity=group.capacity.kind,
        paid_in_advance=group.capacity.paid_in_advance,
        unit="hour",
        quantity=billed,
        usd_per_unit=usd_per_node,
        region=home,
    )


def _unused(groups: tuple[GroupPlan, ...]) -> dict[str, int]:
    """Return how many instances of each reservation no group uses; the key is the reservation's first group.

    An UltraServer price includes the spare capacity. Groups without a reservation ID share open reservations.
    """
    sharing: dict[str, list[GroupPlan]] = defaultdict(list)
    for group in groups:
        if group.capacity.reserved and group.purchase.price:
            sharing[group.capacity.reservation or group.instance_type.name].append(group)
    found = {}
    for members in sharing.values():
        held = max(group.capacity.instances or 0 for group in members)
        if (
            len({group.instance_type.name for group in members}) == 1
        ):  # else the type of the remaining instances is not known
            taken = sum(group.count + group.spare_nodes for group in members)
            found[members[0].name] = max(0, held - taken)
    return found


def _note(group: GroupPlan, price: Price, *, hyperpod: bool) -> str:
    if group.capacity.paid_in_advance:
        advance = "paid in advance for the whole Capacity Block, even if instances do not run"
        return "; ".join(part for part in (advance, price.note.replace("; ", ", ")) if part)
    if price.kind == "hyperpod":
        return price.note
    if hyperpod:
        return (
            "EC2 on-demand price, because HyperPod bills the `ml.` type and AWS publishes no SageMaker price "
            f"for that type{_dearer()}"
        )
    reserved = "; a reservation is billed even if instances do not run" if group.capacity.reserved else ""
    return f"EC2 on-demand price{reserved}"


def _dearer() -> str:
    """Return a text that compares SageMaker prices with EC2 prices in Regions where both are listed."""
    pairs = (
        (own.usd_per_hour, kind.price("on-demand", own.region))
        for kind in catalog().instances.values()
        for own in kind.prices
        if own.kind == "hyperpod"
    )
    above = [round((usd / listed.usd_per_hour - 1) * 100) for usd, listed in pairs if listed]
    return (
        "; the actual price can be higher: for instance types with a published SageMaker price, that price "
        f"is {min(above)} to {max(above)} % above the EC2 price"
        if above
        else ""
    )


def _whole_block(group: GroupPlan, usd_per_hour: float) -> str:
    """Return a text with the total cost of a Capacity Block; empty if start or end is not set."""
    if group.window is None or group.window.length is None:
        return ""
    hours = group.window.length.total_seconds() / 3600
    return f"; {hours * usd_per_hour:,.0f} USD in total for the Capacity Block of {hours:,.0f} hours"


def _unlisted(group: GroupPlan, note: str, service: str) -> CostLine:
    return CostLine(
        item=_item(group), count=group.count, usd_per_hour=None, as_of=None, source="", note=note,
        service=service, capacity=group.capacity.kind, paid_in_advance=group.capacity.paid_in_advance,
    )  # fmt: skip


def _item(group: GroupPlan) -> str:
    return f"{group.name}: {group.instance_type.name}"
