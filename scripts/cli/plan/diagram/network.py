"""The network in the diagram: the VPC, its zones, their subnets, and the contents of each subnet."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.model import Design
from config.design.network.plan import NetworkPlan, SubnetPlan
from config.design.report.plan import PlanReport
from config.design.zones import PRIMARY
from scripts.cli.plan.diagram.boxes import (
    GAP,
    PAD,
    Box,
    Cell,
    Column,
    banner,
    columns,
    framed,
    rows_of,
    stacked,
)
from scripts.cli.plan.diagram.nodes import drawn_groups
from scripts.cli.plan.diagram.storage import drawn_file_systems

_SUBNET_LEAST = 260.0


def drawn_network(design: Design, plan: PlanReport, width: float) -> Box:
    """Return the box of the VPC or, without a network, the groups without a frame."""
    network = design.network
    if network is None:
        return stacked(_contents(design, plan, None, width))
    column = Column(width - 2 * PAD)
    column.pair(f"VPC {network.vpc_cidr}", _whose(design, network))
    if network.closed:
        column.text(
            f"without internet access; {len(network.interface_endpoints)} interface endpoints", "small"
        )
    column.space(8)
    column.add(_zone(design, plan, network, network.primary.zone, column.width))
    others = dict.fromkeys(subnet.zone for subnet in network.subnets if subnet.zone != network.primary.zone)
    for zone in others:
        column.space()
        column.add(_zone(design, plan, network, zone, column.width))
    return framed(column.box(), "vpc", name="vpc")


def _whose(design: Design, network: NetworkPlan) -> str:
    if network.existing_vpc_id:
        return f"existing: {network.existing_vpc_id}"
    return "new" if design.owns_network else "from the data profile"


def _zone(design: Design, plan: PlanReport, network: NetworkPlan, zone: str, width: float) -> Box:
    column = Column(width - 2 * PAD)
    column.text(f"zone {zone}", "title")
    here = [subnet for subnet in network.subnets if subnet.zone == zone]
    holding = [subnet for subnet in here if _holds(design, subnet)]
    for subnet in holding:
        column.space(8)
        column.add(_large(design, plan, subnet, column.width))
    others = [subnet for subnet in here if subnet not in holding]
    if others:
        column.space(8)
        number, each = columns(column.width, _SUBNET_LEAST, len(others))
        column.add(rows_of([_small(design, subnet, each) for subnet in others], number))
    return framed(column.box(), "zone")


def _holds(design: Design, subnet: SubnetPlan) -> bool:
    """Return True if the diagram shows groups or file systems in a subnet."""
    return subnet.name == PRIMARY or any(group.subnet == subnet.name for group in design.groups)


def _large(design: Design, plan: PlanReport, subnet: SubnetPlan, width: float) -> Box:
    column = Column(width - 2 * PAD)
    _head(column, design, subnet)
    for box in _contents(design, plan, subnet, column.width):
        column.space()
        column.add(box)
    _others(column, design, subnet)
    return framed(column.box(), "subnet")


def _small(design: Design, subnet: SubnetPlan, width: float) -> Cell:
    column = Column(width - 2 * PAD)
    _head(column, design, subnet)
    _others(column, design, subnet)
    return Cell(
        inner=column.box(), kind="public" if subnet.public else "subnet", name=f"subnet {subnet.name}"
    )


def _head(column: Column, design: Design, subnet: SubnetPlan) -> None:
    column.pair(f"subnet {subnet.name}", "public" if subnet.public else "private")
    needed = design.addresses.needed(subnet.name)
    suffix = f" ({subnet.id})" if subnet.id else ""
    column.text(f"{subnet.cidr}{suffix}: {needed:,} of {subnet.usable_addresses:,} addresses needed", "small")


def _contents(design: Design, plan: PlanReport, subnet: SubnetPlan | None, width: float) -> Iterator[Box]:
    name = subnet.name if subnet else None
    groups = tuple(group for group in design.groups if name is None or group.subnet == name)
    yield from drawn_groups(groups, width)
    if name not in (None, PRIMARY) or plan.storage is None:
        return
    systems = list(drawn_file_systems(design, plan.storage, width))
    if groups and systems:
        yield _fabric(plan, width)
    yield from systems


def _fabric(plan: PlanReport, width: float) -> Box:
    """Return the banner between the nodes and the file systems."""
    over = (
        {client.over for system in plan.storage.file_systems for client in system.clients}
        if plan.storage
        else set()
    )
    ways = [way for way, kinds in (("EFA", {"efa", "efa-gds"}), ("ENA", {"ena"})) if over & kinds] or ["ENA"]
    gbps = max((group.efa_gbps for group in plan.groups), default=0)
    between = f"; EFA between nodes: up to {gbps:,g} Gbps per node" if gbps else ""
    text = f"file systems over {' and '.join(ways)}{between}"
    return banner(text, width, "fabric" if gbps else "plain")


def _others(column: Column, design: Design, subnet: SubnetPlan) -> None:
    """Add those consumers of the subnet's addresses that do not have a box."""
    drawn = {f"nodes of {group.name}" for group in design.groups}
    uses = [use for use in design.addresses.uses if use.subnet == subnet.name and use.consumer not in drawn]
    parts = [
        f"{use.consumer}: {use.total:,}" for use in uses if not use.consumer.startswith(("Lustre", "home"))
    ]
    if parts:
        column.space(GAP / 2)
        column.text(f"other addresses: {'; '.join(parts)}", "small")
