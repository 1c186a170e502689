"""Constructs for networks and security groups."""

from ultracluster.network.cluster_network import ClusterNetwork, ClusterNetworkProps, SubnetProps
from ultracluster.network.node_security_group import NodeSecurityGroup, NodeSecurityGroupProps

__all__ = [
    "ClusterNetwork",
    "ClusterNetworkProps",
    "NodeSecurityGroup",
    "NodeSecurityGroupProps",
    "SubnetProps",
]
