"""Maximum size of each group: the nodes for which its subnet has room, and all limits of its growth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from config.catalog import catalog
from config.design.capacity.groups import GroupPlan, lustre_connections
from config.design.model import Design
from config.design.slurm.pcs import PcsPlan
from config.design.storage.bandwidth import clients_at_most
from config.design.storage.lustre import LustrePlan

_MOST_IN_A_GROUP = 6758
"""Maximum InstanceCount of a HyperPod instance group (API_ClusterInstanceGroupSpecification)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """Maximum nodes of one group for one reason, if the rest of the profile does not change."""

    nodes: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupGrowth:
    """Growth limits of one group. `subnet_holds` is the number of its nodes when the subnet is full.

    `limits` lists all known limits, the smallest first; it is never empty.
    """

    group: str
    subnet: str
    nodes: int
    subnet_holds: int
    limits: tuple[Limit, ...]

    @property
    def first(self) -> Limit:
        """The smallest limit."""
        return self.limits[0]


def growth_of(design: Design) -> tuple[GroupGrowth, ...]:
    """Return the growth limits of each group; groups without a subnet in the network are omitted."""
    network, groups, addresses = design.network, design.groups, design.addresses
    if network is None:
        return ()
    control_plane = design.profile.orchestrator.kind if design.profile.orchestrator else None
    known = {subnet.name: subnet.usable_addresses for subnet in network.subnets}
    found = []
    for group in groups:
        if group.subnet not in known:
            continue
        others = addresses.needed(group.subnet) - group.count * group.addresses_per_node
        holds = max(0, known[group.subnet] - others) // group.addresses_per_node
        limits = [
            Limit(nodes=holds, reason=_of_addresses(group)),
            *_of_lustre(group, groups, design.file_systems),
        ]
        limits += [*_of_capacity(group, groups), *_of_control_plane(group, groups, control_plane)]
        limits += _of_size(group, groups, design.pcs)
        found.append(
            GroupGrowth(
                group=group.name,
                subnet=group.subnet,
                nodes=group.count,
                subnet_holds=holds,
                limits=tuple(sorted(limits, key=lambda limit: limit.nodes)),
            )
        )
    return tuple(found)


def _of_addresses(group: GroupPlan) -> str:
    each = group.addresses_per_node
    return f"the {group.subnet} subnet has no addresses for more nodes (each node needs {each})"


def _of_lustre(
    group: GroupPlan, groups: tuple[GroupPlan, ...], file_systems: tuple[LustrePlan, ...]
) -> Iterator[Limit]:
    """Yield the limit from a file system's EFA connections; additional file systems do not raise it."""
    each = lustre_connections(group)
    if not each or not any(system.efa for system in file_systems):
        return
    most = catalog().lustre.max_efa_connections
    others = sum(other.count * lustre_connections(other) for other in groups if other is not group)
    reason = f"a file system accepts {most:,} EFA connections, and each node uses {each}"
    yield Limit(nodes=clients_at_most(max(0, most - others), each), reason=reason)


def _of_capacity(group: GroupPlan, groups: tuple[GroupPlan, ...]) -> Iterator[Limit]:
    reservation, held = group.capacity.reservation, group.capacity.instances
    if reservation is not None and held is not None:
        sharing = (other for other in groups if other is not group)
        others = sum(other.count for other in sharing if other.capacity.reservation == reservation)
        instances = "1 instance" if held == 1 else f"{held} instances"
        yield Limit(nodes=held - others, reason=f"the reservation contains {instances}")
    if block := group.purchase.block:
        most = group.unit.instances if group.unit else block.max_instances
        what = f"one {group.unit.name}" if group.unit else "one Capacity Block"
        yield Limit(nodes=most, reason=f"{what} contains up to {most} instances")


def _of_control_plane(
    group: GroupPlan, groups: tuple[GroupPlan, ...], control_plane: str | None
) -> Iterator[Limit]:
    plane = catalog().control_planes.get(control_plane or "")
    if plane is None:
        return
    if plane.max_nodes is not None:
        others = sum(other.count for other in groups if other is not group)
        reason = f"the maximum of {plane.title} is {plane.max_nodes:,} nodes in a cluster"
        yield Limit(nodes=plane.max_nodes - others, reason=reason)
    if plane.service == "hyperpod":
        one = group.role == "controller"
        most = 1 if one else _MOST_IN_A_GROUP
        reason = (
            "HyperPod supports one controller"
            if one
            else f"the maximum of a HyperPod instance group is {most:,} nodes"
        )
        yield Limit(nodes=most, reason=reason)


def _of_size(group: GroupPlan, groups: tuple[GroupPlan, ...], pcs: PcsPlan | None) -> Iterator[Limit]:
    if pcs is None:
        return
    most = next(size.nodes for size in catalog().pcs.sizes if size.name == pcs.size)
    others = sum(other.count for other in groups if other is not group)
    reason = f"PCS size {pcs.size} manages {most:,} nodes, and a change of the size replaces the cluster"
    yield Limit(nodes=most - others, reason=reason)
