"""Where nodes stand in the network, as labels from the widest to the node itself.

The labels are AWS's own: layer 1 is the widest, the last one is what the machines are connected to
(https://docs.aws.amazon.com/eks/latest/userguide/ml-workload-topology.html). How many there are differs by
type: a node that lacks a level of its topology is passed over, so each depth has a topology of its own.
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
"""What an UltraServer's nodes have in common. HyperPod alone has the last one
(https://docs.nvidia.com/topograph/reference/node-labels-and-annotations)."""

HOSTS = "hosts"
"""The topology of nodes that have no network layers: each node is a place of its own."""


def layer(number: int) -> str:
    """The label of a layer of the network; 1 is the widest."""
    return f"topology.k8s.aws/network-node-layer-{number}"


def nvlink_domain_of(scheduling: Scheduling, *, hyperpod: bool) -> NvlinkDomain:
    """How UltraServers are told apart."""
    return scheduling.nvlink_domain or ("ultraserver" if hyperpod else "gpu-clique")


def levels_of(instance: InstanceType, scheduling: Scheduling, *, hyperpod: bool) -> Levels:
    """The labels of a type's places, the widest first."""
    if scheduling.topology == "hosts" or not instance.network_layers:
        return (HOST,)
    if instance.ultraserver_only:
        # no source says that an UltraServer lies under one network node of the lower layers: a level between
        # would cut it in two where it does not
        return (layer(1), NVLINK_DOMAINS[nvlink_domain_of(scheduling, hyperpod=hyperpod)], HOST)
    return (*(layer(n + 1) for n in range(instance.network_layers)), HOST)


def topology_name(instance: InstanceType, levels: Levels) -> str:
    """What the topology of a type is called: its family, or `hosts`."""
    return HOSTS if levels == (HOST,) else instance.family
