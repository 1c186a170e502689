"""The network, its addresses and its ways out, as a plan tells them."""

from __future__ import annotations

from config.design.report.plan import PlanReport
from scripts.cli.plan.document import Writer


def write_network(out: Writer, plan: PlanReport) -> None:
    """Interfaces, subnets, and how far the groups can grow."""
    out.heading("network")
    if plan.groups:
        out.table(
            ("a node of", "interfaces", "with EFA", "addresses", "in all"),
            [
                (g.name, str(g.interfaces), str(g.efa_interfaces), str(g.addresses), f"{g.addresses_all:,}")
                for g in plan.groups
            ],
            right=(1, 2, 3, 4),
        )
    out.table(
        ("subnet", "block", "zone", "addresses", "needed"),
        [(s.name, s.cidr, s.zone, f"{s.addresses:,}", f"{s.needed:,}") for s in plan.subnets],
        right=(3, 4),
    )
    out.fact("in all", f"{plan.addresses:,} addresses")
    for group in plan.groups:
        if group.pods_per_node is not None:
            holds = f"the VPC CNI keeps most of its {group.addresses} addresses for them"
            out.fact(group.name, f"a node runs up to {group.pods_per_node} pods; {holds}")
    for growth in plan.growth:
        holds = (
            f" (its subnet holds {growth.subnet_holds:,})" if growth.subnet_holds > growth.most_nodes else ""
        )
        nodes = "1 node" if growth.most_nodes == 1 else f"{growth.most_nodes:,} nodes"
        out.fact(growth.group, f"can have {nodes}, all else as it is: {growth.because}{holds}")


def write_closure(out: Writer, plan: PlanReport) -> None:
    """What nodes reach out to in a network without a way out."""
    out.heading("closed network")
    ways: dict[tuple[str, str], list[str]] = {}
    for reference in plan.references:
        ways.setdefault((reference.what, reference.reach.replace("-", " ")), []).append(reference.name)
    out.table(
        ("nodes reach", "for", "by"), [(", ".join(names), what, way) for (what, way), names in ways.items()]
    )
