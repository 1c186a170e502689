"""What a change costs, and what it asks of the account's quotas: the plans of both sides side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from config.design.budget import HOURS_A_MONTH

if TYPE_CHECKING:
    from config.design.report import PlanReport


@dataclass(frozen=True, slots=True, kw_only=True)
class CostSide:
    """One billed item of one side; USD an hour for all of it, None where no price is listed."""

    count: float
    usd_per_hour: float | None
    note: str

    @property
    def usd_per_month(self) -> float | None:
        """For a month of 730 hours."""
        return None if self.usd_per_hour is None else round(self.usd_per_hour * HOURS_A_MONTH, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class CostChange:
    """An item that costs something else, or is billed for another count; a side that lacks it is None."""

    item: str
    before: CostSide | None
    after: CostSide | None

    @property
    def usd_per_hour(self) -> float | None:
        """By how much the hour costs more; None where a side that has the item has no listed price."""
        sides = [0 if side is None else side.usd_per_hour for side in (self.before, self.after)]
        was, will = sides
        return None if was is None or will is None else round(will - was, 6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """The items that differ, the dearest difference first, and the sums of all that has a listed price.

    `unpriced` names what NEW has no listed price for: it is in no sum.
    """

    changes: tuple[CostChange, ...]
    before_usd_per_hour: float
    after_usd_per_hour: float
    unpriced: tuple[str, ...]

    @property
    def usd_per_hour(self) -> float:
        """By how much the listed hour costs more."""
        return round(self.after_usd_per_hour - self.before_usd_per_hour, 6)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaChange:
    """A quota of which a cluster needs another amount; None where a side does not need it.

    `default` is what a new account has, where that is known.
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
        """Whether NEW needs more than OLD, and more than a new account has."""
        more = self.after is not None and self.after > (self.before or 0)
        return more and self.default is not None and (self.after or 0) > self.default


def cost_changes(old: PlanReport | None, new: PlanReport | None) -> Costs | None:
    """What costs something else; None where neither side says what it costs, or nothing differs."""
    if old is None and new is None:
        return None
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
        unpriced=new.without_listed_price if new else (),
    )


def _items(plan: PlanReport | None) -> dict[str, CostSide]:
    """Items by name; of a name that comes twice the sum."""
    found: dict[str, CostSide] = {}
    for cost in plan.costs if plan else ():
        other = found.get(cost.item)
        hourly = cost.usd_per_hour
        if other is not None:
            known = other.usd_per_hour is not None and hourly is not None
            hourly = other.usd_per_hour + hourly if known else None  # type: ignore[operator]  # both are
        found[cost.item] = CostSide(
            count=cost.count + (other.count if other else 0), usd_per_hour=hourly, note=cost.note
        )
    return found


def quota_changes(old: PlanReport | None, new: PlanReport | None) -> tuple[QuotaChange, ...]:
    """Quotas of which another amount is needed: those to be raised first, then by service and name."""
    before, after = _needs(old), _needs(new)
    found = list(_quota_changes(before, after))
    return tuple(sorted(found, key=lambda q: (not q.must_be_raised, q.service_code, q.name, q.per)))


def _quota_changes(before: Mapping[Any, Any], after: Mapping[Any, Any]) -> Iterator[QuotaChange]:
    for key in before.keys() | after.keys():
        was, will = before.get(key), after.get(key)
        if was is not None and will is not None and was.needed == will.needed:
            continue
        need: Any = will or was
        yield QuotaChange(
            service_code=need.service_code, name=need.name, code=need.code, unit=need.unit,
            before=was.needed if was else None, after=will.needed if will else None,
            default=need.default, per=need.per, because=need.because, source=need.source,
        )  # fmt: skip


def _needs(plan: PlanReport | None) -> dict[tuple[str, str, str], Any]:
    quotas: Iterable[Any] = getattr(plan, "quotas", ())
    return {(need.service_code, need.name, need.per): need for need in quotas}
