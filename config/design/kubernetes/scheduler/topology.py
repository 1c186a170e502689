"""Network location of nodes, as labels from the topmost layer to the node.

AWS sets the labels: layer 1 is the topmost, and the nodes connect to the last layer
(https://docs.aws.amazon.com/eks/latest/userguide/ml-workload-topology.html). The number of layers depends on
the instance type. Kueue ignores a node that lacks the label of a level in its topology, so each number of
layers has its own topology.
"""

from __future__ import annotations

from config.catalog import InstanceType
from config.design.kubernetes.scheduler.labels import HOST
from config.profile.kubernetes.scheduler import NvlinkDomain, Scheduling

Levels = tuple[str, ...]

NVLINK_DOMAINS: dict[NvlinkDomain, str] = {
    "gpu-clique": "nvidia.com/gpu.clique",
    "capacity-block": "topology.k8s.aws/capacity-block-id",
    "ultraserver": "topology.k8s.aws/ultraserver-id",
}
"""Labels with the same value on all nodes of an UltraServer. Only HyperPod sets `ultraserver-id`
(https://docs.nvidia.com/topograph/reference/node-labels-and-annotations)."""

HOSTS = "hosts"
"""Topology of nodes without network layers; its only level is the node."""


def layer(number: int) -> str:
    """Return the label of a network layer; 1 is the topmost."""
    return f"topology.k8s.aws/network-node-layer-{number}"


def nvlink_domain_of(scheduling: Scheduling, *, hyperpod: bool) -> NvlinkDomain:
    """Return the label that identifies an UltraServer."""
    return scheduling.nvlink_domain or ("ultraserver" if hyperpod else "gpu-clique")


def levels_of(instance: InstanceType, scheduling: Scheduling, *, hyperpod: bool) -> Levels:
    """Return the labels of an instance type's levels, the topmost first."""
    if scheduling.topology == "hosts" or not instance.network_layers:
        return (HOST,)
    if instance.ultraserver_only:
        # AWS does not document that an UltraServer is below one network node of the lower layers; if not,
        # this level would split an UltraServer
        return (layer(1), NVLINK_DOMAINS[nvlink_domain_of(scheduling, hyperpod=hyperpod)], HOST)
    return (*(layer(n + 1) for n in range(instance.network_layers)), HOST)


def topology_name(instance: InstanceType, levels: Levels) -> str:
    """Return the name of an instance type's topology: its family, or `hosts`."""
    return HOSTS if levels == (HOST,) else instance.family
