"""How a plan tells what a cluster costs: what is listed, what its use decides, and what no source lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from config.design.money.machines import HOURS_A_MONTH, LISTED
from config.design.report.costs import CostReport
from config.design.report.plan import PlanReport
from scripts.cli.plan.document import Writer


def write_costs(out: Writer, plan: PlanReport) -> None:
    """The items with a sum, then the prices of units, then what is in no sum."""
    out.heading("price")
    priced = [item for item in plan.costs if item.usd_per_hour is not None]
    if priced:
        out.table(
            ("item", "billed", "USD/hour", "USD/month", "as of"),
            [_row(item) for item in priced],
            right=(1, 2, 3),
        )
        out.fact(
            "listed",
            f"{plan.usd_per_hour_listed:,.2f} USD an hour for these items, "
            f"{plan.usd_per_month_listed:,.0f} in a month of {HOURS_A_MONTH} hours{_without_advance(priced)}",
        )
        for note in _notes(priced):
            out.fact("", note)
    by_use = [item for item in plan.costs if item.usd_per_hour is None and item.usd_per_unit is not None]
    if by_use:
        units = (f"{item.item} {_usd(item.usd_per_unit)} a {item.unit}" for item in by_use)
        out.fact("by use", f"USD: {', '.join(units)}; in no sum")
    for why, items in _unpriced(plan.costs).items():
        out.fact("without", f"{', '.join(items)}: {why}")


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
    """How much is billed: nodes by how they are bought, hours by how many run, the rest in its unit."""
    if item.capacity is not None:
        return f"{item.count:,} x {item.capacity}"
    quantity = item.quantity or 0
    if item.unit == "hour":
        return f"{quantity:,g}"
    # beside a price a month, a unit says by itself that it is of months
    unit = (item.unit or "").removesuffix("-month")
    several = "s" if unit in ("key", "alarm", "secret") and quantity != 1 else ""
    return f"{'about ' if item.estimated else ''}{quantity:,.0f} {unit}{several}"


def _notes(priced: Sequence[CostReport]) -> Iterator[str]:
    """Each note once, with the items that it holds of; without them where it holds of every one."""
    told: dict[str, list[CostReport]] = {}
    for item in priced:
        for part in item.note.split("; "):
            told.setdefault(part, []).append(item)
    machines = [item for item in priced if item.capacity is not None]
    for note, items in told.items():
        if note == LISTED:
            continue
        yield f"{_whom(items, priced, machines)}{note}"


def _whom(items: list[CostReport], priced: Sequence[CostReport], machines: list[CostReport]) -> str:
    """The items by name, or those that are left out where they are fewer."""
    if len(items) == len(priced):
        return ""
    if items == machines and len(items) > 1:
        return "machines: "
    others = [item for item in priced if item not in items]
    if len(others) < len(items):
        return f"all but {_names(others)}: "
    return f"{_names(items)}: "


def _names(items: Iterable[CostReport]) -> str:
    """Groups by their name, other items as the table has them."""
    names = list(dict.fromkeys(item.item.partition(":")[0] if item.capacity else item.item for item in items))
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


def _usd(usd: float | None) -> str:
    return f"{usd:g}" if usd is not None else "-"


def _without_advance(priced: Iterable[CostReport]) -> str:
    return ", without what is paid in advance" if any(item.paid_in_advance for item in priced) else ""


def _unpriced(costs: tuple[CostReport, ...]) -> dict[str, list[str]]:
    """Items that are not in the sum, by the reason."""
    reasons: dict[str, list[str]] = {}
    for item in costs:
        if item.usd_per_hour is None and item.usd_per_unit is None:
            reasons.setdefault(item.note, []).append(item.item)
    return reasons
