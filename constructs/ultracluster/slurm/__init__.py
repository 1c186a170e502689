"""Constructs for Slurm clusters: HyperPod, AWS PCS and the accounting database."""

from ultracluster.slurm.accounting_database import AccountingDatabaseCluster, AccountingDatabaseClusterProps
from ultracluster.slurm.hyperpod_execution_role import HyperPodExecutionRole, HyperPodExecutionRoleProps
from ultracluster.slurm.hyperpod_group import (
    DeepHealthCheck,
    HyperPodGroup,
    LustreMount,
    NodeType,
    OpenZfsMount,
)
from ultracluster.slurm.hyperpod_labels import KubernetesTaint, TaintEffect
from ultracluster.slurm.hyperpod_lifecycle import Lifecycle
from ultracluster.slurm.hyperpod_slurm_cluster import (
    AccountingDatabase,
    HyperPodSlurmCluster,
    HyperPodSlurmClusterProps,
    NodeRecovery,
    SlurmConfigStrategy,
)
from ultracluster.slurm.hyperpod_updates import AutoPatch, BatchSize, Deployment, ScheduledUpdate
from ultracluster.slurm.pcs_cluster import (
    PcsCluster,
    PcsClusterProps,
    PcsGroup,
    PcsQueue,
    PcsScript,
    PurchaseOption,
    Size,
)
from ultracluster.slurm.pcs_node_role import PcsNodeRole, PcsNodeRoleProps

__all__ = [
    "AccountingDatabase",
    "AccountingDatabaseCluster",
    "AccountingDatabaseClusterProps",
    "AutoPatch",
    "BatchSize",
    "DeepHealthCheck",
    "Deployment",
    "HyperPodExecutionRole",
    "HyperPodExecutionRoleProps",
    "HyperPodGroup",
    "HyperPodSlurmCluster",
    "HyperPodSlurmClusterProps",
    "KubernetesTaint",
    "Lifecycle",
    "LustreMount",
    "NodeRecovery",
    "NodeType",
    "OpenZfsMount",
    "PcsCluster",
    "PcsClusterProps",
    "PcsGroup",
    "PcsNodeRole",
    "PcsNodeRoleProps",
    "PcsQueue",
    "PcsScript",
    "PurchaseOption",
    "ScheduledUpdate",
    "Size",
    "SlurmConfigStrategy",
    "TaintEffect",
]
