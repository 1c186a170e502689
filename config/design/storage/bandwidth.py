"""What a file system and its clients can move, from plain figures.

MB/s are 10^6 bytes a second, Gbps 10^9 bits. Each function is one formula of reference/storage-plan.md, which
prints it in the same names.
"""

from __future__ import annotations

import math

GIB_PER_TIB = 1024
MBPS_PER_GBPS = 125


def provisioned_mbps(capacity_gib: float, mbps_per_tib: float) -> float:
    """What a capacity brings at a figure for each TiB: disk or network, baseline or burst."""
    return capacity_gib / GIB_PER_TIB * mbps_per_tib


def servers(capacity_gib: float, gib_per_server: float) -> int:
    """File servers of a file system."""
    return math.ceil(capacity_gib / gib_per_server)


def metadata_servers(metadata_iops: float, metadata_iops_per_server: float) -> int:
    """Metadata servers of a file system; like each file server, each takes an address of the subnet."""
    return max(1, math.ceil(metadata_iops / metadata_iops_per_server))


def clients_at_most(max_efa_connections: int, interfaces: int) -> int:
    """Nodes that one file system takes over EFA, each with so many interfaces."""
    return max_efa_connections // interfaces


def ena_client_mbps(
    ena_client_gbps: float, gbps_per_server: float, object_servers: int, instance_gbps: float
) -> float:
    """The most that one client moves over ENA: its own ceiling, that of each server, its network."""
    return min(ena_client_gbps, gbps_per_server * object_servers, instance_gbps) * MBPS_PER_GBPS


def efa_client_mbps(efa_client_gbps: float, interfaces_gbps: float, instance_gbps: float) -> float:
    """The most that one client moves over EFA: its own ceiling, its interfaces to Lustre, its network."""
    return min(efa_client_gbps, interfaces_gbps, instance_gbps) * MBPS_PER_GBPS


def all_clients_mbps(nodes: int, client_mbps: float, file_system_mbps: float) -> float:
    """What the nodes move together: never more than the file system."""
    return min(nodes * client_mbps, file_system_mbps)
