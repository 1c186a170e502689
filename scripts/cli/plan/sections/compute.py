"""The compute section of a plan: groups and their control plane."""

from __future__ import annotations

from config.design.report.groups import GroupReport
from config.design.report.pcs import PcsReport
from config.design.report.plan import PlanReport
from scripts.cli.plan.document import Writer, amount
from scripts.cli.plan.sections.eks import write_eks
from scripts.cli.plan.sections.group_facts import group_facts


def write_compute(out: Writer, plan: PlanReport) -> None:
    """Write the groups, their totals, and the control plane."""
    out.heading("compute")
    out.table(
        ("group", "type", "nodes", "GPUs", "NVLink", "EFA", "capacity"),
        [_group(group) for group in plan.groups],
        right=(2, 3, 4),
    )
    out.fact(
        "total",
        f"{amount(plan.nodes, 'node')}, {amount(plan.gpus, 'GPU')}, {plan.gpu_memory_gib:,.0f} GiB of GPU "
        f"memory, {plan.memory_gib:,} GiB of host memory",
    )
    peak = plan.peak
    figures = (("BF16", peak.bf16_pflops), ("FP8", peak.fp8_pflops), ("FP4", peak.fp4_pflops))
    peaks = [f"{name} {_pflops(figure)} PFLOPS" for name, figure in figures if figure is not None]
    if peaks:
        out.fact("peak", f"{', '.join(peaks)} (dense)")
    for group in plan.groups:
        for sentence in group_facts(group):
            out.fact(group.name, sentence)
    if plan.pcs:
        _write_pcs(out, plan.pcs, plan.nodes)
    if plan.eks:
        write_eks(out, plan.eks)
    if plan.hyperpod:
        out.fact("provisioning", plan.hyperpod.provisioning)
        out.fact("lifecycle scripts", plan.hyperpod.scripts)
        if plan.hyperpod.undone:
            undone = "; ".join(plan.hyperpod.undone)
            out.fact(
                "not set up",
                f"{undone}; the plan's throughput and repair values assume that your scripts do this",
            )
        if plan.hyperpod.accounting:
            out.fact("accounting", plan.hyperpod.accounting)


def _write_pcs(out: Writer, pcs: PcsReport, nodes: int) -> None:
    parts = [f"Slurm {pcs.slurm_version}"]
    parts += ["accounting"] if pcs.accounting else []
    parts += ["REST API"] if pcs.rest_api else []
    size = f"size {pcs.size} manages up to {pcs.size_nodes:,} nodes and {pcs.size_jobs:,} jobs"
    out.fact("AWS PCS", f"{', '.join(parts)}; {size}, and this profile has {amount(nodes, 'node')}")
    for name in pcs.dynamic:
        out.fact(name, "nodes run only while jobs need them")
    for queue in pcs.queues:
        groups = f"{'groups' if len(queue.groups) > 1 else 'group'} {', '.join(queue.groups)}"
        out.fact(
            "queue",
            f"{queue.name}: {amount(queue.nodes, 'node')} in {groups}" if groups
            else f"{queue.name}: without node groups",
        )  # fmt: skip


def _group(group: GroupReport) -> tuple[str, ...]:
    return (
        group.name,
        group.instance_type,
        str(group.nodes),
        str(group.gpus_all or "-"),
        str(group.nvlink_domain_gpus or "-"),
        f"{group.efa_generation} {group.efa_gbps:g} Gbps" if group.efa_gbps else "-",
        group.capacity.partition(" ")[0],  # group_facts prints the UltraServer
    )


def _pflops(figure: float) -> str:
    return f"{figure:,.1f}".removesuffix(".0")
