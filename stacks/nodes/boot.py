"""Resources that nodes depend on when they boot: parameters, routes and security group rules."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from constructs import Construct, IDependable

from config.design.model import Design
from config.design.nodes.storage import NodeStorage
from stacks.common import add_parameter
from stacks.foundation import Foundation, SharedStorage


def node_parameters(
    scope: Construct, on: Foundation, shared: NodeStorage, names: Collection[str]
) -> list[IDependable]:
    """Create the SSM parameters with the names of this stack's file systems, from which nodes mount them."""
    values = {name: value for name, value in _values(on.design, shared, on.storage) if name in names}
    return [
        add_parameter(
            scope,
            f"Node-{name.rpartition('/')[2]}",
            on.design.profile,
            name,
            value,
            "File system name for the nodes of {}",
        )
        for name, value in sorted(values.items())
    ]


def _values(design: Design, shared: NodeStorage, storage: SharedStorage) -> Iterator[tuple[str, str]]:
    own = {system.name for system in design.own_file_systems}
    facts = {system.plan.name: system for system in storage.file_systems if system.plan.name in own}
    for system in shared.file_systems:
        made = facts.get(system.name)
        if made and system.dns_name_parameter and system.mount_name_parameter:
            yield system.dns_name_parameter, made.dns_name
            yield system.mount_name_parameter, made.mount_name
    if shared.home and shared.home.dns_name_parameter and storage.home and design.owns_home:
        yield shared.home.dns_name_parameter, storage.home.dns_name


def boot_dependencies(on: Foundation, parameters: Sequence[IDependable]) -> tuple[IDependable, ...]:
    """Return the resources that must exist before a node boots and until it is terminated."""
    node_network, storage = on.node_network, on.storage
    return (
        *node_network.nodes_ready,
        *node_network.security_group_rules,
        *(rule for system in storage.file_systems for rule in system.rules),
        *(storage.home.rules if storage.home else ()),
        # so that nodes are terminated before the data repository associations that export their files
        *(link for system in storage.file_systems for link in system.exports),
        *parameters,
    )


def reserved_instances(design: Design) -> dict[str, int]:
    """Return the number of instances in each reservation; reservations without a number are not included."""
    declared = ((g.capacity.reservation, g.capacity.instances) for g in design.groups)
    return {reservation: held for reservation, held in declared if reservation and held is not None}
