"""The network sections of a plan: interfaces, addresses, growth, and access without internet."""

from __future__ import annotations

from config.design.report.plan import PlanReport
from scripts.cli.plan.document import Writer, amount


def write_network(out: Writer, plan: PlanReport) -> None:
    """Write the interfaces, the subnets, and the maximum size of each group."""
    out.heading("network")
    if plan.groups:
        out.table(
            ("group", "interfaces per node", "with EFA", "addresses per node", "group addresses"),
            [
                (g.name, str(g.interfaces), str(g.efa_interfaces), str(g.addresses), f"{g.addresses_all:,}")
                for g in plan.groups
            ],
            right=(1, 2, 3, 4),
        )
    out.table(
        ("subnet", "CIDR block", "zone", "usable addresses", "needed"),
        [(s.name, s.cidr, s.zone, f"{s.addresses:,}", f"{s.needed:,}") for s in plan.subnets],
        right=(3, 4),
    )
    out.fact("total", f"{amount(plan.addresses, 'address', 'addresses')} needed")
    for group in plan.groups:
        if group.pods_per_node is not None:
            holds = f"the VPC CNI reserves most of the node's {group.addresses} addresses for pods"
            out.fact(group.name, f"a node runs up to {group.pods_per_node} pods; {holds}")
    for growth in plan.growth:
        holds = (
            f" (the subnet has room for {growth.subnet_holds:,} nodes)"
            if growth.subnet_holds > growth.most_nodes
            else ""
        )
        out.fact(growth.group, f"up to {amount(growth.most_nodes, 'node')}: {growth.because}{holds}")


def write_closure(out: Writer, plan: PlanReport) -> None:
    """Write the services that nodes of a closed network connect to, each with its endpoint."""
    out.heading("network without internet access")
    ways: dict[tuple[str, str], list[str]] = {}
    for reference in plan.references:
        ways.setdefault((reference.what, reference.reach.replace("-", " ")), []).append(reference.name)
    out.table(
        ("nodes connect to", "purpose", "through"),
        [(", ".join(names), what, way) for (what, way), names in ways.items()],
    )
