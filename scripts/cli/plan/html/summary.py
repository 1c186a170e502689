"""What a reader wants first: the figures of a cluster at a glance."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from config.design.report.plan import PlanReport
from scripts.cli.plan.sections.storage import duration

_MOST_NAMES = 3


def figures(plan: PlanReport) -> str:
    """Tiles of figures, each with its unit and what it is of."""
    tiles = "".join(
        f"<div><dt>{escape(name)}</dt><dd><b>{escape(figure)}</b> <span>{escape(told)}</span></dd></div>"
        for name, figure, told in _figures(plan)
    )
    return f'<dl class="figures">{tiles}</dl>'


def _figures(plan: PlanReport) -> Iterator[tuple[str, str, str]]:
    if plan.groups:
        yield (
            "nodes",
            f"{plan.nodes:,}",
            f"in {len(plan.groups)} {'group' if len(plan.groups) == 1 else 'groups'}",
        )
    if plan.gpus:
        domains = sorted({group.nvlink_domain_gpus for group in plan.groups if group.gpus_all})
        told = " and ".join(f"{domain:,}" for domain in domains)
        yield "GPUs", f"{plan.gpus:,}", f"NVLink domains of {told}" if domains != [1] else "without NVLink"
        yield "GPU memory", f"{plan.gpu_memory_gib:,.0f} GiB", "of all GPUs"
        if plan.peak.bf16_pflops is not None:
            yield "peak", f"{plan.peak.bf16_pflops:,.4g} PFLOPS", "dense BF16, of all GPUs"
    efa = [group.efa_gbps for group in plan.groups if group.efa_gbps]
    if efa:
        yield "EFA", f"{max(efa):,g} Gbps", "of a node"
    yield from _storage(plan)
    if plan.subnets:
        yield "addresses", f"{plan.addresses:,}", f"in {len(plan.subnets)} subnets"
    yield from _price(plan)
    if plan.deployment and plan.deployment.total_s:
        yield "first deployment", duration(plan.deployment.total_s), "by published figures"


def _storage(plan: PlanReport) -> Iterator[tuple[str, str, str]]:
    systems = plan.storage.file_systems if plan.storage else ()
    if not systems:
        return
    sizes = [system.capacity_gib for system in systems]
    size = "elastic" if None in sizes else f"{sum(size or 0 for size in sizes):,} GiB"
    yield "Lustre", size, f"writes {sum(s.write_mbps for s in systems) / 1000:,.3g} GB/s"


def _price(plan: PlanReport) -> Iterator[tuple[str, str, str]]:
    """A sum is told where it has all machines in it: that of the rest would be taken for the price."""
    priced = [item for item in plan.costs if item.usd_per_hour is not None]
    without = len(plan.without_listed_price)
    machines = {group.name for group in plan.groups}
    wanting = {item.item.partition(":")[0] for item in plan.costs if item.usd_per_hour is None} & machines
    more = f"{without} {'item has' if without == 1 else 'items have'} no listed price"
    if priced and not wanting:
        yield (
            "price",
            f"{plan.usd_per_hour_listed:,.2f} USD",
            f"an hour, listed{f'; {more}' if without else ''}",
        )
    elif without:
        names = ", ".join(sorted(wanting)[:_MOST_NAMES])
        yield "price", "not known", f"{more}{f', {names} among them' if names else ''}"
