"""Machines and their control plane, as a plan tells them."""

from __future__ import annotations

from config.design.report.groups import GroupReport
from config.design.report.pcs import PcsReport
from config.design.report.plan import PlanReport
from scripts.cli.plan.document import Writer
from scripts.cli.plan.sections.eks import write_eks
from scripts.cli.plan.sections.group_facts import group_facts


def write_compute(out: Writer, plan: PlanReport) -> None:
    """Groups of machines, what they add up to, and the control plane."""
    out.heading("compute")
    out.table(
        ("group", "type", "nodes", "GPUs", "NVLink", "EFA", "capacity"),
        [_group(group) for group in plan.groups],
        right=(2, 3, 4),
    )
    out.fact(
        "in all",
        f"{plan.nodes} nodes, {plan.gpus} GPUs, {plan.gpu_memory_gib:,.0f} GiB of GPU memory, "
        f"{plan.memory_gib:,} GiB of memory",
    )
    if plan.gpus:
        peak = plan.peak
        figures = (("BF16", peak.bf16_pflops), ("FP8", peak.fp8_pflops), ("FP4", peak.fp4_pflops))
        out.fact(
            "peak", ", ".join(f"{name} {_pflops(figure)}" for name, figure in figures) + " (dense PFLOPS)"
        )
    for group in plan.groups:
        for told in group_facts(group):
            out.fact(group.name, told)
    if plan.pcs:
        _write_pcs(out, plan.pcs, plan.nodes)
    if plan.eks:
        write_eks(out, plan.eks)
    if plan.hyperpod:
        out.fact("nodes come", plan.hyperpod.provisioning)
        out.fact("scripts", plan.hyperpod.scripts)
        if plan.hyperpod.undone:
            undone = "; ".join(plan.hyperpod.undone)
            out.fact("not done", f"{undone}: what is said here of speed and repair counts on yours for it")
        if plan.hyperpod.accounting:
            out.fact("accounting", plan.hyperpod.accounting)


def _write_pcs(out: Writer, pcs: PcsReport, nodes: int) -> None:
    parts = [f"Slurm {pcs.slurm_version}"]
    parts += ["accounting"] if pcs.accounting else []
    parts += ["REST API"] if pcs.rest_api else []
    size = f"size {pcs.size} manages {pcs.size_nodes:,} nodes, of which {nodes:,} are asked for, and"
    out.fact("PCS", f"{', '.join(parts)}; {size} {pcs.size_jobs:,} jobs")
    for name in pcs.dynamic:
        out.fact(name, "has no node without a job for it")
    for queue in pcs.queues:
        out.fact("queue", f"{queue.name}: {queue.nodes:,} nodes of {', '.join(queue.groups) or 'no group'}")


def _group(group: GroupReport) -> tuple[str, ...]:
    return (
        group.name,
        group.instance_type,
        str(group.nodes),
        str(group.gpus_all or "-"),
        str(group.nvlink_domain_gpus or "-"),
        f"{group.efa_generation} {group.efa_gbps:g} Gbps" if group.efa_gbps else "-",
        group.capacity.partition(" ")[0],  # the UltraServer is told below
    )


def _pflops(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:,.1f}".removesuffix(".0")
