"""Security group rules between nodes and existing file systems."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from constructs import Construct, IDependable

from config.design.model import Design
from stacks.common import retention_of
from stacks.foundation import NodeNetwork
from ultracluster.storage import ClientAccess, ClientAccessProps, FileService

Access = Mapping[str, tuple[IDependable, ...]]
"""The rules for traffic between nodes and file systems, by ID of the file systems' security group."""


def add_access(scope: Construct, design: Design, node_network: NodeNetwork) -> Access:
    """Create the rules for each existing file system that the profile declares."""
    services: dict[str, set[FileService]] = defaultdict(set)
    for system in design.own_file_systems:
        if system.existing:
            services[system.existing.security_group_id].add("lustre-efa" if system.efa else "lustre")
    if design.home and design.home.existing and design.owns_home:
        services[design.home.existing.security_group_id].add("nfs")
    return {
        group: tuple(
            ClientAccess(
                scope,
                f"Access-{group}",
                ClientAccessProps(
                    security_group_id=group,
                    client_security_group_id=node_network.node_security_group_id,
                    services=sorted(spoken),
                    retention=retention_of(design.profile),
                ),
            ).rules
        )
        for group, spoken in sorted(services.items())
    }


def dns_name_of(design: Design, file_system_id: str) -> str:
    """Return the DNS name of an existing file system.

    Source: https://docs.aws.amazon.com/fsx/latest/LustreGuide/mounting-ec2-instance.html
    """
    return f"{file_system_id}.fsx.{design.profile.region}.amazonaws.com"
