"""Throughput formulas for file systems and their clients.

MB/s are 10^6 bytes a second, Gbps 10^9 bits. Each function is one formula in reference/storage-plan.md, which
uses the same names.
"""

from __future__ import annotations

import math

GIB_PER_TIB = 1024
MBPS_PER_GBPS = 125


def provisioned_mbps(capacity_gib: float, mbps_per_tib: float) -> float:
    """Return the throughput of a capacity at a rate per TiB: disk or network, baseline or burst."""
    return capacity_gib / GIB_PER_TIB * mbps_per_tib


def servers(capacity_gib: float, gib_per_server: float) -> int:
    """Return the number of file servers of a file system."""
    return math.ceil(capacity_gib / gib_per_server)


def metadata_servers(metadata_iops: float, metadata_iops_per_server: float) -> int:
    """Return the number of metadata servers; each server uses one IP address of the subnet."""
    return max(1, math.ceil(metadata_iops / metadata_iops_per_server))


def clients_at_most(max_efa_connections: int, interfaces: int) -> int:
    """Return the maximum number of EFA clients of a file system, each with `interfaces` interfaces."""
    return max_efa_connections // interfaces


def ena_client_mbps(
    ena_client_gbps: float, gbps_per_server: float, object_servers: int, instance_gbps: float
) -> float:
    """Return the maximum throughput of one ENA client: the lowest of client, server and network limit."""
    return min(ena_client_gbps, gbps_per_server * object_servers, instance_gbps) * MBPS_PER_GBPS


def efa_client_mbps(efa_client_gbps: float, interfaces_gbps: float, instance_gbps: float) -> float:
    """Return the maximum throughput of one EFA client: the lowest of client, interface and network limit."""
    return min(efa_client_gbps, interfaces_gbps, instance_gbps) * MBPS_PER_GBPS


def all_clients_mbps(nodes: int, client_mbps: float, file_system_mbps: float) -> float:
    """Return the total throughput of all nodes, limited by the file system."""
    return min(nodes * client_mbps, file_system_mbps)
