"""What a cluster costs, as far as prices are listed: its machines, and the sum of everything."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date

from config.catalog import Price, catalog
from config.design.capacity.groups import GroupPlan
from config.design.capacity.prices import listed_anywhere, listed_price

HOURS_A_MONTH = 730
"""8760 hours of a year by 12, as AWS's own calculator counts a month."""

_AT_MOST = "maximum for all nodes of the group, which run only while jobs need them"
_BY_DEMAND = "nodes run only while jobs need them, and the profile does not set their number"

UNLISTED = "the catalogue has no price"
LISTED = "at the listed price"


@dataclass(frozen=True, slots=True, kw_only=True)
class CostLine:
    """One item. `usd_per_hour` is for all of it; None when no sum can be told, which is never zero.

    A sum is missing where no price is listed, and where only its use decides: then there is `usd_per_unit`.
    `quantity` of `unit` is what is billed of it in each hour, or in each month for a unit of months;
    `estimated` where it is no figure of the profile. `capacity` is how machines are bought, None of what is
    no machine; `paid_in_advance` are those of a block or a plan, in no month's bill. `region` is the one that
    the price is of.
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
        """USD of a month of 730 hours; None where none is listed, and of what is paid in advance."""
        if self.usd_per_hour is None or self.paid_in_advance:
            return None
        return round(self.usd_per_hour * HOURS_A_MONTH, 2)

    @property
    def by_use(self) -> bool:
        """True where a price is listed and no quantity is known."""
        return self.usd_per_hour is None and self.usd_per_unit is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """All items; the total holds only what has a listed price."""

    lines: tuple[CostLine, ...]

    @property
    def usd_per_hour(self) -> float:
        """The sum of the listed prices, in USD an hour."""
        return sum(line.usd_per_hour for line in self.lines if line.usd_per_hour is not None)

    @property
    def usd_per_month(self) -> float:
        """The sum of what a month bills by the listed prices: without what is paid in advance."""
        hourly = (line.usd_per_hour for line in self.lines if not line.paid_in_advance)
        return sum(usd for usd in hourly if usd is not None) * HOURS_A_MONTH

    @property
    def unpriced(self) -> tuple[str, ...]:
        """The items without a listed price."""
        return tuple(line.item for line in self.lines if line.usd_per_hour is None and not line.by_use)

    @property
    def by_use(self) -> tuple[str, ...]:
        """The items whose price is listed for a use that the profile does not state."""
        return tuple(line.item for line in self.lines if line.by_use)


def machine_costs(
    region: str, groups: Iterable[GroupPlan], *, hyperpod: bool, as_needed: frozenset[str] = frozenset()
) -> tuple[CostLine, ...]:
    """The hourly price of the machines of each group; of those that come as needed, of all of them."""
    found = tuple(groups)
    unused = _unused(found)
    lines = (_group(region, group, hyperpod=hyperpod, unused=unused.get(group.name, 0)) for group in found)
    return tuple(
        _as_needed(line) if group.name in as_needed and not group.capacity.reserved else line
        for group, line in zip(found, lines, strict=True)
    )


def _as_needed(line: CostLine) -> CostLine:
    """The same of machines that come and go: what all of them cost, or one where the profile states none."""
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
            group, "paid in advance with the training plan; the plan's offering shows the price", service
        )
    if not group.purchase.price:
        return _unlisted(group, UNLISTED, service)
    listed = (hyperpod and listed_anywhere(region, group, "hyperpod")) or listed_price(region, group)
    if not listed:
        return _unlisted(group, UNLISTED, service)
    price, usd_per_node, home = listed
    billed = group.count + group.spare_nodes + unused
    elsewhere = "" if home == region else f"price in {home}, because the catalogue has none for {region}; "
    return CostLine(
        item=_item(group),
        count=billed,
        usd_per_hour=round(billed * usd_per_node, 6),
        as_of=price.as_of,
        source=catalog().sources.get(price.source, price.source),
        note=elsewhere
        + _note(group, price, hyperpod=hyperpod)
        + _whole_block(group, billed * usd_per_node)
        + (f"; {unused} of them are reserved but not used by a group" if unused else ""),
        service=service,
        capacity=group.capacity.kind,
        paid_in_advance=group.capacity.paid_in_advance,
        unit="hour",
        quantity=billed,
        usd_per_unit=usd_per_node,
        region=home,
    )


def _unused(groups: tuple[GroupPlan, ...]) -> dict[str, int]:
    """Machines that a reservation holds and no group takes, by the first of its groups, billed for them.

    An UltraServer is paid with its spare. What takes any open reservation shares those of its type.
    """
    sharing: dict[str, list[GroupPlan]] = defaultdict(list)
    for group in groups:
        if group.capacity.reserved and group.purchase.price:
            sharing[group.capacity.reservation or group.instance_type.name].append(group)
    found = {}
    for members in sharing.values():
        held = max(group.capacity.instances or 0 for group in members)
        if len({group.instance_type.name for group in members}) == 1:  # else which are left is not known
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
        own = "HyperPod bills the SageMaker price of the ml. type, which AWS does not publish"
        return f"EC2 on-demand price, although {own}{_dearer()}"
    reserved = "; a reservation is billed even if instances do not run" if group.capacity.reserved else ""
    return f"EC2 on-demand price{reserved}"


def _dearer() -> str:
    """How SageMaker's price compares with EC2's where both are listed for one Region."""
    pairs = (
        (own.usd_per_hour, kind.price("on-demand", own.region))
        for kind in catalog().instances.values()
        for own in kind.prices
        if own.kind == "hyperpod"
    )
    above = [round((usd / listed.usd_per_hour - 1) * 100) for usd, listed in pairs if listed]
    return f" (listed SageMaker prices are {min(above)} to {max(above)} % above EC2 prices)" if above else ""


def _whole_block(group: GroupPlan, usd_per_hour: float) -> str:
    """What a block of stated dates costs in all."""
    if group.window is None or group.window.length is None:
        return ""
    hours = group.window.length.total_seconds() / 3600
    return f"; total for the Capacity Block of {hours:,.0f} hours: {hours * usd_per_hour:,.0f} USD"


def _unlisted(group: GroupPlan, note: str, service: str) -> CostLine:
    return CostLine(
        item=_item(group), count=group.count, usd_per_hour=None, as_of=None, source="", note=note,
        service=service, capacity=group.capacity.kind, paid_in_advance=group.capacity.paid_in_advance,
    )  # fmt: skip


def _item(group: GroupPlan) -> str:
    return f"{group.name}: {group.instance_type.name}"
