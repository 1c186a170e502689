"""`ultracluster plan`."""

from __future__ import annotations

from config.cluster import load_cluster
from config.design.report import CostReport, PlanReport, report
from config.design.report_groups import GroupReport
from config.design.report_pcs import PcsReport
from scripts.cli.group_facts import group_facts
from scripts.cli.output import fact, heading, line, write_diagnostics, write_json, write_table
from scripts.cli.plan_calendar import write_calendar
from scripts.cli.plan_deployment import write_deployment
from scripts.cli.plan_eks import write_eks
from scripts.cli.plan_images import write_images
from scripts.cli.plan_jobs import write_jobs
from scripts.cli.plan_observability import write_observability
from scripts.cli.plan_storage import write_storage
from scripts.cli.shell import SHELL_RULES

_HOURS_A_MONTH = 730


def show_plan(given: str, *, orchestrator: str | None, as_json: bool) -> int:
    """Print what the cluster of a profile is, needs and costs, then its diagnostics."""
    cluster = load_cluster(given, orchestrator=orchestrator, further=SHELL_RULES)
    diagnostics = [diagnostic.as_dict() for diagnostic in cluster.diagnostics]
    if cluster.design is None:
        if as_json:
            write_json({"plan": None, "diagnostics": diagnostics})
        write_diagnostics(cluster.diagnostics, stderr=True)
        return cluster.exit_status
    plan = report(cluster.design)
    if as_json:
        write_json({"plan": plan.as_dict(), "diagnostics": diagnostics})
        return cluster.exit_status
    _write_text(plan)
    if cluster.diagnostics:
        heading("diagnostics")
        write_diagnostics(cluster.diagnostics)
    return cluster.exit_status


def _write_text(plan: PlanReport) -> None:
    line(f"{plan.profile}: {plan.description}" if plan.description else plan.profile)
    line(f"{plan.region}, zone {plan.zone}; {plan.orchestrator or 'no control plane'}")
    if plan.data_profile:
        line(f"on the network and storage of {plan.data_profile}")
    line(_on_delete(plan))
    if plan.groups:
        _write_compute(plan)
    if plan.jobs:
        write_jobs(plan.jobs)
    if plan.subnets:
        _write_network(plan)
    if plan.closed:
        _write_closure(plan)
    _write_parts(plan)
    _write_costs(plan)
    if plan.waivers:
        heading("waived")
        write_table(("code", "reason"), [(waiver.code, waiver.reason) for waiver in plan.waivers])


def _write_parts(plan: PlanReport) -> None:
    if plan.storage:
        write_storage(plan.storage)
    if plan.observability:
        write_observability(plan.observability)
    if plan.calendar:
        write_calendar(plan.calendar)
    if plan.images:
        write_images(plan.images)
    if plan.deployment:
        write_deployment(plan.deployment)


def _on_delete(plan: PlanReport) -> str:
    if plan.disposable:
        return "disposable: nothing stays on delete"
    kept = [kept.as_text() for kept in plan.kept]
    return f"on delete these stay: {'; '.join(kept)}" if kept else "nothing of its own stays on delete"


def _write_compute(plan: PlanReport) -> None:
    heading("compute")
    write_table(
        ("group", "type", "nodes", "GPUs", "NVLink", "EFA", "capacity"),
        [_group(group) for group in plan.groups],
        right=(2, 3, 4),
    )
    fact(
        "in all",
        f"{plan.nodes} nodes, {plan.gpus} GPUs, {plan.gpu_memory_gib:,.0f} GiB of GPU memory, "
        f"{plan.memory_gib:,} GiB of memory",
    )
    if plan.gpus:
        peak = plan.peak
        figures = (("BF16", peak.bf16_pflops), ("FP8", peak.fp8_pflops), ("FP4", peak.fp4_pflops))
        fact("peak", ", ".join(f"{name} {_pflops(figure)}" for name, figure in figures) + " (dense PFLOPS)")
    for group in plan.groups:
        for told in group_facts(group):
            fact(group.name, told)
    if plan.pcs:
        _write_pcs(plan.pcs, plan.nodes)
    if plan.eks:
        write_eks(plan.eks)
    if plan.hyperpod:
        fact("nodes come", plan.hyperpod.provisioning)
        fact("scripts", plan.hyperpod.scripts)
        if plan.hyperpod.undone:
            undone = "; ".join(plan.hyperpod.undone)
            fact("not done", f"{undone}: what is said here of speed and repair counts on yours for it")
        if plan.hyperpod.accounting:
            fact("accounting", plan.hyperpod.accounting)


def _write_pcs(pcs: PcsReport, nodes: int) -> None:
    parts = [f"Slurm {pcs.slurm_version}"]
    parts += ["accounting"] if pcs.accounting else []
    parts += ["REST API"] if pcs.rest_api else []
    size = f"size {pcs.size} manages {pcs.size_nodes:,} nodes, of which {nodes:,} are asked for, and"
    fact("PCS", f"{', '.join(parts)}; {size} {pcs.size_jobs:,} jobs")
    for name in pcs.dynamic:
        fact(name, "has no node without a job for it")
    for queue in pcs.queues:
        fact("queue", f"{queue.name}: {queue.nodes:,} nodes of {', '.join(queue.groups) or 'no group'}")


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


def _write_network(plan: PlanReport) -> None:
    heading("network")
    if plan.groups:
        write_table(
            ("a node of", "interfaces", "with EFA", "addresses", "in all"),
            [
                (g.name, str(g.interfaces), str(g.efa_interfaces), str(g.addresses), f"{g.addresses_all:,}")
                for g in plan.groups
            ],
            right=(1, 2, 3, 4),
        )
    write_table(
        ("subnet", "block", "zone", "addresses", "needed"),
        [(s.name, s.cidr, s.zone, f"{s.addresses:,}", f"{s.needed:,}") for s in plan.subnets],
        right=(3, 4),
    )
    fact("in all", f"{plan.addresses:,} addresses")
    for group in plan.groups:
        if group.pods_per_node is not None:
            holds = f"the VPC CNI keeps most of its {group.addresses} addresses for them"
            fact(group.name, f"a node runs up to {group.pods_per_node} pods; {holds}")
    for growth in plan.growth:
        holds = (
            f" (its subnet holds {growth.subnet_holds:,})" if growth.subnet_holds > growth.most_nodes else ""
        )
        nodes = "1 node" if growth.most_nodes == 1 else f"{growth.most_nodes:,} nodes"
        fact(growth.group, f"can have {nodes}, all else as it is: {growth.because}{holds}")


def _write_closure(plan: PlanReport) -> None:
    """What nodes reach out to in a network without a way out."""
    heading("closed network")
    ways: dict[tuple[str, str], list[str]] = {}
    for reference in plan.references:
        ways.setdefault((reference.what, reference.reach.replace("-", " ")), []).append(reference.name)
    write_table(
        ("nodes reach", "for", "by"), [(", ".join(names), what, way) for (what, way), names in ways.items()]
    )


def _write_costs(plan: PlanReport) -> None:
    heading("price")
    priced = [item for item in plan.costs if item.usd_per_hour is not None]
    if priced:
        write_table(
            ("item", "nodes", "USD/hour", "as of"),
            [(item.item, str(item.count), f"{item.usd_per_hour:,.2f}", item.as_of or "") for item in priced],
            right=(1, 2),
        )
        hourly = plan.usd_per_hour_listed
        fact(
            "listed",
            f"{hourly:,.2f} USD an hour for these items, "
            f"{hourly * _HOURS_A_MONTH:,.0f} in a month of {_HOURS_A_MONTH} hours",
        )
    for note in dict.fromkeys(item.note for item in priced):
        fact("", note)
    for why, items in _unpriced(plan.costs).items():
        fact("without", f"{', '.join(items)}: {why}")


def _unpriced(costs: tuple[CostReport, ...]) -> dict[str, list[str]]:
    """Items that are not in the sum, by the reason."""
    reasons: dict[str, list[str]] = {}
    for item in costs:
        if item.usd_per_hour is None:
            reasons.setdefault(item.note, []).append(item.item)
    return reasons
