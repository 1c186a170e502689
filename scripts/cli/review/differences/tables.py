"""Rows and notes about price and quotas, the same in every format."""

from __future__ import annotations

from collections.abc import Iterable

from config.design.money.machines import HOURS_A_MONTH

from .money import CostChange, Costs, QuotaChange

COST_HEADINGS = (
    "item",
    "count",
    "USD/hour before",
    "USD/hour after",
    "USD/hour change",
    f"USD/{HOURS_A_MONTH} h change",
)
"""Columns for a terminal."""
MONTH_HEADINGS = (
    "item",
    "count",
    "USD/hour before",
    "USD/hour after",
    "USD/month before",
    "USD/month after",
    "USD/month change",
)
"""Columns for a page; a month has 730 hours."""
QUOTA_HEADINGS = ("quota", "service", "needed before", "needed after", "default value", "counted per")
_NONE = "-"
_UNKNOWN = "unknown"
_SMALL = 0.1


def cost_rows(costs: Costs, *, months: bool = False) -> list[tuple[str, ...]]:
    """Return a row for each item that differs, and the total of all items with a listed price."""
    hours = (_usd(costs.before_usd_per_hour), _usd(costs.after_usd_per_hour))
    both = (_month(costs.before_usd_per_month), _month(costs.after_usd_per_month))
    between = both if months else (_more(costs.usd_per_hour),)
    total = ("total of listed prices", "", *hours, *between, f"{costs.usd_per_month:+,.0f}")
    return [*(_cost_row(change, months) for change in costs.changes), total]


def _cost_row(change: CostChange, months: bool) -> tuple[str, ...]:
    sides = (change.before, change.after)
    counts = [_NONE if side is None else _count(side.count) for side in sides]
    hours = [_NONE if side is None else _usd(side.usd_per_hour, side.missing) for side in sides]
    both = [_NONE if side is None else _month(side.usd_per_month, side.missing) for side in sides]
    hourly, monthly = change.usd_per_hour, change.usd_per_month
    more = _UNKNOWN if hourly is None else _more(hourly)
    return (
        change.item,
        counts[0] if counts[0] == counts[1] else " to ".join(counts),
        *hours,
        *(both if months else [more]),
        f"{monthly:+,.0f}"
        if monthly is not None
        else str(change.missing)
        if hourly is not None
        else _UNKNOWN,
    )


def cost_notes(costs: Costs) -> list[str]:
    """Return the notes about items, first about those that the totals do not include."""
    items: dict[str, list[str]] = {}
    for change in costs.changes:
        notes = [side.note if side else "" for side in (change.before, change.after)]
        note = notes[1] or notes[0]
        if note and change.usd_per_hour is not None:
            items.setdefault(note, []).append(change.item)
    unpriced = _in_a_line(costs.unpriced)
    unpriced_note = [f"not in the total (no listed price, or billed by use): {unpriced}"] if unpriced else []
    return [*unpriced_note, *(f"{note} ({_in_a_line(named)})" for note, named in items.items())]


def _in_a_line(items: Iterable[str]) -> str:
    """Return the names of items in one line; colons in the names are removed."""
    return ", ".join(item.replace(": ", " ") for item in items)


def quota_rows(quotas: tuple[QuotaChange, ...]) -> list[tuple[str, ...]]:
    """Return a row for each quota of which the sides need different amounts."""
    return [
        (
            quota.name + (f" ({quota.code})" if quota.code else ""),
            quota.service_code,
            _amount(quota.before, quota.unit),
            _amount(quota.after, quota.unit) + (": request an increase" if quota.must_be_raised else ""),
            "unknown" if quota.default is None else _amount(quota.default, quota.unit),
            quota.per,
        )
        for quota in quotas
    ]


def _amount(value: float | None, unit: str) -> str:
    """Return an amount with its unit, in the singular if the amount is 1."""
    if value is None:
        return _NONE
    return f"{_count(value)} {_of_one(unit) if value == 1 else unit}".strip()


def _of_one(unit: str) -> str:
    """Return a unit in the singular; GiB, IOPS, MB/s and series do not change."""
    if unit == "series" or not (unit.islower() or unit in ("VPCs", "vCPUs")):
        return unit
    return unit.removesuffix("es" if unit.endswith("sses") else "s")


def _count(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def _usd(value: float | None, missing: str | None = None) -> str:
    if value is None:
        return str(missing)
    return f"{value:,.4f}" if 0 < abs(value) < _SMALL else f"{value:,.2f}"


def _month(value: float | None, missing: str | None = None) -> str:
    return str(missing) if value is None else f"{value:,.0f}"


def _more(value: float) -> str:
    return f"{value:+,.4f}" if 0 < abs(value) < _SMALL else f"{value:+,.2f}"
