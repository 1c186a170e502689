"""The tiles at the top of the page: key values of a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from config.design.report.plan import PlanReport
from scripts.cli.plan.document import amount
from scripts.cli.plan.sections.price import paid_in_advance
from scripts.cli.plan.sections.storage import duration

_MOST_NAMES = 3


def figures(plan: PlanReport) -> str:
    """Return the tiles, each with a value, its unit and a note, in rows that are as even as possible."""
    found = list(_figures(plan))
    tiles = "".join(
        f"<div><dt>{escape(name)}</dt><dd><b>{escape(figure)}</b> <span>{escape(note)}</span></dd></div>"
        for name, figure, note in found
    )
    columns = min((5, 4, 3), key=lambda number: -len(found) % number)
    return f'<dl class="figures" style="--columns:{columns}">{tiles}</dl>'


def _figures(plan: PlanReport) -> Iterator[tuple[str, str, str]]:
    if plan.groups:
        yield "nodes", f"{plan.nodes:,}", f"in {amount(len(plan.groups), 'group')}"
    if plan.gpus:
        domains = sorted({group.nvlink_domain_gpus for group in plan.groups if group.gpus_all})
        note = " and ".join(f"{domain:,}" for domain in domains)
        yield "GPUs", f"{plan.gpus:,}", f"NVLink domains of {note}" if domains != [1] else "without NVLink"
        yield "GPU memory", f"{plan.gpu_memory_gib:,.0f} GiB", "of all GPUs"
        if plan.peak.bf16_pflops is not None:
            yield "peak", f"{plan.peak.bf16_pflops:,.4g} PFLOPS", "dense BF16, of all GPUs"
    efa = [group.efa_gbps for group in plan.groups if group.efa_gbps]
    if efa:
        yield "EFA", f"{max(efa):,g} Gbps", "per node"
    yield from _storage(plan)
    if plan.subnets:
        yield "IP addresses", f"{plan.addresses:,}", f"needed, in {amount(len(plan.subnets), 'subnet')}"
    yield from _price(plan)
    if plan.deployment and plan.deployment.total_s:
        yield "first deployment", duration(plan.deployment.total_s), "from published durations"


def _storage(plan: PlanReport) -> Iterator[tuple[str, str, str]]:
    systems = plan.storage.file_systems if plan.storage else ()
    if not systems:
        return
    sizes = [system.capacity_gib for system in systems]
    size = "elastic" if None in sizes else f"{sum(size or 0 for size in sizes):,} GiB"
    yield "Lustre", size, f"write {sum(s.write_mbps for s in systems) / 1000:,.3g} GB/s"


def _price(plan: PlanReport) -> Iterator[tuple[str, str, str]]:
    """Yield the price tile; it has a total only if the price of all instances is known."""
    priced = [item for item in plan.costs if item.usd_per_hour is not None]
    without = len(plan.without_listed_price)
    machines = {group.name for group in plan.groups}
    wanting = {item.item.partition(":")[0] for item in plan.costs if item.usd_per_hour is None} & machines
    advance = paid_in_advance(priced)
    more = f"{amount(without, 'item')} without a list price"
    if priced and not wanting:
        notes = ["per hour", *([f"{advance:,.2f} USD of it paid in advance"] if advance else [])]
        yield (
            "price",
            f"{plan.usd_per_hour_listed:,.2f} USD",
            "; ".join([*notes, *([more] if without else [])]),
        )
    elif without:
        names = ", ".join(sorted(wanting)[:_MOST_NAMES])
        yield "price", "unknown", f"{more}{f', such as {names}' if names else ''}"
