"""The address budget of the page: a bar for each subnet, and the consumers of its addresses."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from config.design.model import Design
from config.design.network.addresses import AddressUse
from config.design.network.plan import SubnetPlan
from scripts.cli.plan.document import Table
from scripts.cli.plan.html.parts import table

_COLOURS = 6
_LEAST_PERCENT = 0.1


def address_budget(design: Design) -> str:
    """Return the address budget of the cluster's network; empty without a network."""
    if design.network is None or not design.addresses.uses:
        return ""
    bars = "".join(f"<li>{_bar(design, subnet)}</li>" for subnet in design.network.subnets)
    uses = sorted(design.addresses.uses, key=lambda use: (use.subnet, -use.total, use.consumer))
    part = Table(
        headings=("subnet", "consumer", "count", "addresses each", "addresses"),
        rows=tuple(
            (u.subnet, u.consumer, f"{u.count:,}", f"{u.each:,}", f"{u.total:,}") for u in uses if u.total
        ),
        right=frozenset((2, 3, 4)),
    )
    return f'<ul class="budget">{bars}</ul>{table(part, "address budget: subnet")}'


def _bar(design: Design, subnet: SubnetPlan) -> str:
    uses = sorted(
        (use for use in design.addresses.uses if use.subnet == subnet.name and use.total),
        key=lambda use: -use.total,
    )
    usable, needed = subnet.usable_addresses, sum(use.total for use in uses)
    room = max(usable, needed)
    parts = "".join(
        f'<span class="part c{min(number, _COLOURS - 1)}" style="width:{100 * use.total / room:.3f}%"></span>'
        for number, use in enumerate(uses)
    )
    over = needed > usable
    percent = _percent(needed, usable)
    head = (
        f"<p><b>{escape(subnet.name)}</b> <code>{escape(subnet.cidr)}</code> in {escape(subnet.zone)}: "
        f"{needed:,} of {usable:,} addresses ({percent}){': not enough addresses' if over else ''}</p>"
    )
    legend = "".join(_legend(uses))
    return f'{head}<div class="bar{" over" if over else ""}" aria-hidden="true">{parts}</div>{legend}'


def _legend(uses: list[AddressUse]) -> Iterator[str]:
    if not uses:
        return
    items = "".join(
        f'<li><span class="key c{min(n, _COLOURS - 1)}"></span>{escape(use.consumer)}: {use.total:,}</li>'
        for n, use in enumerate(uses[: 2 * _COLOURS])
    )
    left = len(uses) - 2 * _COLOURS
    more = f"<li>and {left:,} more in the table</li>" if left > 0 else ""
    yield f'<ul class="legend">{items}{more}</ul>'


def _percent(part: int, whole: int) -> str:
    percent = 100 * part / whole if whole else 0.0
    return "less than 0.1 %" if 0 < percent < _LEAST_PERCENT else f"{percent:,.1f} %".replace("0.0 %", "0 %")
