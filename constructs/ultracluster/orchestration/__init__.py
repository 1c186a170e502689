"""Control planes, and what their machines run at boot."""

from ultracluster.orchestration.hyperpod_execution_role import (
    HyperPodExecutionRole,
    HyperPodExecutionRoleProps,
)
from ultracluster.orchestration.hyperpod_slurm_cluster import (
    DeepHealthCheck,
    HyperPodGroup,
    HyperPodSlurmCluster,
    HyperPodSlurmClusterProps,
    LustreMount,
    NodeRecovery,
    NodeType,
    SlurmConfigStrategy,
)
from ultracluster.orchestration.node_scripts import NodeScripts, NodeScriptsProps

__all__ = [
    "DeepHealthCheck",
    "HyperPodExecutionRole",
    "HyperPodExecutionRoleProps",
    "HyperPodGroup",
    "HyperPodSlurmCluster",
    "HyperPodSlurmClusterProps",
    "LustreMount",
    "NodeRecovery",
    "NodeScripts",
    "NodeScriptsProps",
    "NodeType",
    "SlurmConfigStrategy",
]
