"""What a cluster costs, as a plan tells it."""

from __future__ import annotations

from config.design.report import CostReport, PlanReport
from scripts.plan.document import Writer

_HOURS_A_MONTH = 730


def write_costs(out: Writer, plan: PlanReport) -> None:
    """What is listed, and what has no listed price."""
    out.heading("price")
    priced = [item for item in plan.costs if item.usd_per_hour is not None]
    if priced:
        out.table(
            ("item", "nodes", "USD/hour", "as of"),
            [(item.item, str(item.count), f"{item.usd_per_hour:,.2f}", item.as_of or "") for item in priced],
            right=(1, 2),
        )
        hourly = plan.usd_per_hour_listed
        out.fact(
            "listed",
            f"{hourly:,.2f} USD an hour for these items, "
            f"{hourly * _HOURS_A_MONTH:,.0f} in a month of {_HOURS_A_MONTH} hours",
        )
    for note in dict.fromkeys(item.note for item in priced):
        out.fact("", note)
    for why, items in _unpriced(plan.costs).items():
        out.fact("without", f"{', '.join(items)}: {why}")


def _unpriced(costs: tuple[CostReport, ...]) -> dict[str, list[str]]:
    """Items that are not in the sum, by the reason."""
    reasons: dict[str, list[str]] = {}
    for item in costs:
        if item.usd_per_hour is None:
            reasons.setdefault(item.note, []).append(item.item)
    return reasons
