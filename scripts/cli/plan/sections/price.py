"""The price section of a plan: items with a list price, usage-based items, and items without a price."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from config.design.money.machines import HOURS_A_MONTH, LISTED
from config.design.report.costs import CostReport
from config.design.report.plan import PlanReport
from scripts.cli.plan.document import Writer


def write_costs(out: Writer, plan: PlanReport) -> None:
    """Write the priced items with their total, then the prices per unit, then the items without a price."""
    out.heading("price")
    priced = [item for item in plan.costs if item.usd_per_hour is not None]
    if priced:
        out.table(
            ("item", "billed", "USD/hour", "USD/month", "as of"),
            [_row(item) for item in priced],
            right=(1, 2, 3),
        )
        out.fact(
            "total",
            f"{plan.usd_per_hour_listed:,.2f} USD per hour for these items{_advance(priced)}, "
            f"{plan.usd_per_month_listed:,.0f} USD per month of {HOURS_A_MONTH} hours"
            f"{_without_advance(priced)}",
        )
        for note in _notes(priced):
            out.fact("", note)
    by_use = [item for item in plan.costs if item.usd_per_hour is None and item.usd_per_unit is not None]
    if by_use:
        units = (f"{_in_list(item)} {_usd(item.usd_per_unit)} per {item.unit}" for item in by_use)
        out.fact("usage-based", f"not in the total, prices in USD: {', '.join(units)}")
    for why, items in _unpriced(plan.costs).items():
        out.fact("not included", f"{', '.join(items)}: {why}")


def _row(item: CostReport) -> tuple[str, ...]:
    hourly, monthly = item.usd_per_hour or 0, item.usd_per_month
    return (
        item.item,
        _billed(item),
        f"{hourly:,.2f}" if hourly >= 0.1 else f"{hourly:.4f}",
        "in advance" if monthly is None else f"{monthly:,.0f}" if monthly >= 1 else f"{monthly:.2f}",
        item.as_of or "",
    )


def _billed(item: CostReport) -> str:
    """Return the billed quantity: nodes with their purchase option, other items in their unit."""
    if item.capacity is not None:
        return f"{item.count:,} x {item.capacity}"
    quantity = item.quantity or 0
    if item.unit == "hour":
        return f"{quantity:,g}"
    # the column has a price per month, so `-month` in the unit would repeat it
    unit = (item.unit or "").removesuffix("-month")
    several = "s" if unit in ("key", "alarm", "secret") and quantity != 1 else ""
    return f"{'about ' if item.estimated else ''}{quantity:,.0f} {unit}{several}"


def _notes(priced: Sequence[CostReport]) -> Iterator[str]:
    """Yield each note once, after the items that it applies to; a note for all items is yielded alone."""
    by_note: dict[str, list[CostReport]] = {}
    for item in priced:
        for part in item.note.split("; "):
            by_note.setdefault(part, []).append(item)
    machines = [item for item in priced if item.capacity is not None]
    for note, items in by_note.items():
        if note == LISTED:
            continue
        yield f"{_whom(items, priced, machines)}{note}"


def _whom(items: list[CostReport], priced: Sequence[CostReport], machines: list[CostReport]) -> str:
    """Return the items that a note applies to, with a colon.

    The text lists these items or, if it is shorter, the items that the note does not apply to.
    """
    if len(items) == len(priced):
        return ""
    if items == machines and len(items) > 1:
        return "all instances: "
    others = [item for item in priced if item not in items]
    if len(others) < len(items):
        return f"all items except {_names(others)}: "
    return f"{_names(items)}: "


def _names(items: Iterable[CostReport]) -> str:
    """Join the names: groups by their name, other items as in the table."""
    names = list(dict.fromkeys(_name(item) for item in items))
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


def _name(item: CostReport) -> str:
    return item.item.partition(":")[0] if item.capacity else _in_list(item)


def _in_list(item: CostReport) -> str:
    return item.item.replace(": ", " ")


def _usd(usd: float | None) -> str:
    return f"{usd:g}" if usd is not None else "-"


def paid_in_advance(priced: Iterable[CostReport]) -> float:
    """Return the USD per hour of the reservations that are paid in advance, such as a Capacity Block."""
    return sum(item.usd_per_hour or 0 for item in priced if item.paid_in_advance)


def _advance(priced: Iterable[CostReport]) -> str:
    usd = paid_in_advance(priced)
    return f" (including {usd:,.2f} USD paid in advance)" if usd else ""


def _without_advance(priced: Iterable[CostReport]) -> str:
    return ", without the items paid in advance" if paid_in_advance(priced) else ""


def _unpriced(costs: tuple[CostReport, ...]) -> dict[str, list[str]]:
    """Return the items that are not in the total, grouped by reason."""
    reasons: dict[str, list[str]] = {}
    for item in costs:
        if item.usd_per_hour is None and item.usd_per_unit is None:
            reasons.setdefault(item.note, []).append(_in_list(item))
    return reasons
