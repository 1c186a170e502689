"""Throughput of each node group to a file system over ENA, EFA or GPUDirect Storage."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from config.catalog import InstanceType, catalog
from config.design.capacity.groups import GroupPlan, lustre_connections
from config.design.storage.bandwidth import all_clients_mbps, efa_client_mbps, ena_client_mbps
from config.design.storage.file_system_rates import Rates
from config.design.storage.lustre import LustrePlan

Over = Literal["ena", "efa", "efa-gds"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clients:
    """The nodes of a group as file system clients, with throughput in MB/s.

    `mbps` is the maximum of one node; `write_mbps` and `read_mbps` are the totals of all nodes.
    `gpudirect_mbps` is the maximum of a node with GPUDirect Storage; None if the type does not support it.
    `without_efa_mbps` is the maximum of an EFA client that falls back to TCP, which does not cause an error.
    """

    group: str
    nodes: int
    saves: bool
    over: Over
    mbps: float
    gpudirect_mbps: float | None
    without_efa_mbps: float | None
    write_mbps: float
    read_mbps: float
    connections: int


def clients_of(lustre: LustrePlan, rates: Rates, groups: Iterable[GroupPlan]) -> tuple[Clients, ...]:
    """Return each group as clients of a file system, in the profile's order."""
    return tuple(_clients(lustre, rates, group) for group in groups)


def together(clients: Iterable[Clients], file_system_mbps: float) -> float:
    """Return the total throughput of the nodes that save checkpoints, limited by the file system."""
    saving = [group.nodes * group.mbps for group in clients if group.saves]
    return min(sum(saving), file_system_mbps) if saving else file_system_mbps


def _clients(lustre: LustrePlan, rates: Rates, group: GroupPlan) -> Clients:
    interfaces = lustre_connections(group) if lustre.efa else 0
    gpudirect = (
        _over_efa(group, interfaces, "efa-gds") if interfaces and _can_gpudirect(lustre, group) else None
    )
    set_up = gpudirect if lustre.gpudirect else None
    mbps = set_up or (
        _over_efa(group, interfaces, "efa") if interfaces else over_ena(lustre, group.instance_type)
    )
    return Clients(
        group=group.name,
        nodes=group.count,
        saves=group.role == "compute" and group.gpus > 0,
        over="efa-gds" if set_up else "efa" if interfaces else "ena",
        mbps=mbps,
        gpudirect_mbps=gpudirect,
        without_efa_mbps=over_ena(lustre, group.instance_type) if interfaces else None,
        write_mbps=all_clients_mbps(group.count, mbps, rates.write),
        read_mbps=all_clients_mbps(group.count, mbps, rates.read),
        connections=group.count * interfaces,
    )


def _over_efa(group: GroupPlan, interfaces: int, over: Over) -> float:
    """Return the maximum throughput of one node over EFA; Lustre uses as many cards as `interfaces`."""
    widest = sorted((card.efa_gbps_max for card in group.instance_type.cards), reverse=True)
    return efa_client_mbps(catalog().lustre.client_gbps(over), sum(widest[:interfaces]), group.efa_gbps)


def over_ena(lustre: LustrePlan, instance: InstanceType) -> float:
    """Return the maximum throughput of one node without EFA, in MB/s."""
    facts = catalog().lustre
    return ena_client_mbps(
        facts.client_gbps("ena"),
        facts.ena_gbps_per_client_and_server,
        lustre.object_servers,
        instance.ena_gbps or instance.network_gbps,
    )


def _can_gpudirect(lustre: LustrePlan, group: GroupPlan) -> bool:
    """Return whether GPUDirect Storage is possible; if sources disagree about it, the profile decides."""
    instance = group.instance_type
    disputed = instance.name in catalog().lustre.gpudirect_disputed_types
    return instance.gpudirect_storage or (lustre.gpudirect and disputed)
