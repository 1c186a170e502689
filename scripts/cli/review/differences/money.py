"""Differences of price and quotas between the plans of two sides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from config.records import copied

if TYPE_CHECKING:
    from config.design.report.plan import PlanReport
    from config.design.report.quotas import QuotaReport

_Key: TypeAlias = tuple[str, str, str]


Missing: TypeAlias = Literal["no listed price", "billed by use", "paid in advance"]
"""Reason why a price is missing; a missing price does not count as zero."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CostSide:
    """One billed item of one side. Prices are for `count` items; a month has 730 hours.

    Both prices are None if no price is listed or the price depends on use. Only the monthly price is None if
    the item is paid in advance. `missing` is the reason why a price is None.
    """

    count: float
    usd_per_hour: float | None
    usd_per_month: float | None
    note: str
    missing: Missing | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CostChange:
    """An item whose price or count differs; `before` or `after` is None if the side lacks the item."""

    item: str
    before: CostSide | None
    after: CostSide | None

    @property
    def usd_per_hour(self) -> float | None:
        """Return the difference per hour; None if a side has the item without an hourly price."""
        return _more(*(0 if side is None else side.usd_per_hour for side in (self.before, self.after)))

    @property
    def usd_per_month(self) -> float | None:
        """Return the difference per month; None if a side has the item without a monthly price."""
        return _more(*(0 if side is None else side.usd_per_month for side in (self.before, self.after)))

    @property
    def missing(self) -> Missing | None:
        """Return the reason of a missing difference."""
        return next((side.missing for side in (self.after, self.before) if side and side.missing), None)


def _more(was: float | None, will: float | None) -> float | None:
    return None if was is None or will is None else round(will - was, 6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """The items that differ, the largest difference first, and the totals of all items with a listed price.

    `unpriced` names the items of NEW that have no listed price or are usage-based; the totals do not include
    them.
    """

    changes: tuple[CostChange, ...]
    before_usd_per_hour: float
    after_usd_per_hour: float
    before_usd_per_month: float
    after_usd_per_month: float
    unpriced: tuple[str, ...]

    @property
    def usd_per_hour(self) -> float:
        """Return the difference of the listed price per hour."""
        return round(self.after_usd_per_hour - self.before_usd_per_hour, 6)

    @property
    def usd_per_month(self) -> float:
        """Return the difference of the listed price per month."""
        return round(self.after_usd_per_month - self.before_usd_per_month, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaChange:
    """A quota of which the sides need different amounts. A side is None if it does not need the quota.

    `default` is the quota's default value; None if that is not known.
    """

    service_code: str
    name: str
    code: str | None
    unit: str
    before: float | None
    after: float | None
    default: float | None
    per: str
    because: str
    source: str

    @property
    def must_be_raised(self) -> bool:
        """Return whether NEW needs more than OLD and more than the default value."""
        more = self.after is not None and self.after > (self.before or 0)
        return more and self.default is not None and (self.after or 0) > self.default


def cost_changes(old: PlanReport | None, new: PlanReport | None) -> Costs | None:
    """Return the differences of price; None if there are none, or no side has a price."""
    before, after = _items(old), _items(new)
    changes = [
        CostChange(item=item, before=before.get(item), after=after.get(item))
        for item in sorted(before.keys() | after.keys())
        if before.get(item) != after.get(item)
    ]
    if not changes:
        return None
    return Costs(
        changes=tuple(sorted(changes, key=lambda c: -abs(c.usd_per_hour or 0))),
        before_usd_per_hour=old.usd_per_hour_listed if old else 0,
        after_usd_per_hour=new.usd_per_hour_listed if new else 0,
        before_usd_per_month=_month_of(old),
        after_usd_per_month=_month_of(new),
        unpriced=(*new.without_listed_price, *_by_use(new)) if new else (),
    )


def _month_of(plan: PlanReport | None) -> float:
    """Return the listed price of a plan per month."""
    return plan.usd_per_month_listed if plan else 0


def _by_use(plan: PlanReport) -> tuple[str, ...]:
    return tuple(item for item in plan.billed_by_use if item not in plan.without_listed_price)


def _items(plan: PlanReport | None) -> dict[str, CostSide]:
    """Return the items by name; counts and prices of items with the same name are added."""
    found: dict[str, CostSide] = {}
    for cost in plan.costs if plan else ():
        assert plan is not None
        side = copied(CostSide, cost, missing=None)
        side = _added(found[cost.item], side) if cost.item in found else side
        found[cost.item] = replace(side, missing=_missing(side, cost.item in _by_use(plan)))
    return found


def _added(one: CostSide, other: CostSide) -> CostSide:
    hourly, monthly = (
        None if was is None or will is None else was + will
        for was, will in (
            (one.usd_per_hour, other.usd_per_hour),
            (one.usd_per_month, other.usd_per_month),
        )
    )
    return replace(other, count=one.count + other.count, usd_per_hour=hourly, usd_per_month=monthly)


def _missing(side: CostSide, by_use: bool) -> Missing | None:
    if side.usd_per_hour is None:
        return "billed by use" if by_use else "no listed price"
    return "paid in advance" if side.usd_per_month is None else None


def quota_changes(old: PlanReport | None, new: PlanReport | None) -> tuple[QuotaChange, ...]:
    """Return quotas of which the sides need different amounts, first the quotas that must be raised."""
    before, after = _needs(old), _needs(new)
    found = list(_quota_changes(before, after))
    return tuple(sorted(found, key=lambda q: (not q.must_be_raised, q.service_code, q.name, q.per)))


def _quota_changes(
    before: Mapping[_Key, QuotaReport], after: Mapping[_Key, QuotaReport]
) -> Iterator[QuotaChange]:
    for key in before.keys() | after.keys():
        was, will = before.get(key), after.get(key)
        if was is not None and will is not None and was.needed == will.needed:
            continue
        need = will or was
        assert need is not None  # at least one side needs each quota
        yield copied(
            QuotaChange,
            need,
            service_code=need.service,
            before=was.needed if was else None,
            after=will.needed if will else None,
        )


def _needs(plan: PlanReport | None) -> dict[_Key, QuotaReport]:
    return {(need.service, need.name, need.per): need for need in plan.quotas} if plan else {}
