"""Control planes, and what their machines run at boot."""

from ultracluster.orchestration.accounting_database import (
    AccountingDatabaseCluster,
    AccountingDatabaseClusterProps,
)
from ultracluster.orchestration.hyperpod_autoscaling_role import (
    HyperPodAutoscalingRole,
    HyperPodAutoscalingRoleProps,
)
from ultracluster.orchestration.hyperpod_eks_cluster import HyperPodEksCluster, HyperPodEksClusterProps
from ultracluster.orchestration.hyperpod_execution_role import (
    HyperPodExecutionRole,
    HyperPodExecutionRoleProps,
)
from ultracluster.orchestration.hyperpod_group import (
    DeepHealthCheck,
    HyperPodGroup,
    LustreMount,
    NodeType,
    OpenZfsMount,
)
from ultracluster.orchestration.hyperpod_kubernetes import KubernetesTaint, TaintEffect
from ultracluster.orchestration.hyperpod_lifecycle import Lifecycle
from ultracluster.orchestration.hyperpod_slurm_cluster import (
    AccountingDatabase,
    HyperPodSlurmCluster,
    HyperPodSlurmClusterProps,
    NodeRecovery,
    SlurmConfigStrategy,
)
from ultracluster.orchestration.hyperpod_task_governance import (
    HyperPodTaskGovernance,
    HyperPodTaskGovernanceProps,
    Preemption,
    Sharing,
    TeamQuotaProps,
)
from ultracluster.orchestration.hyperpod_updates import AutoPatch, BatchSize, Deployment, ScheduledUpdate
from ultracluster.orchestration.node_permissions import NodeAccess, NodeMetricsAccess
from ultracluster.orchestration.node_scripts import NodeScripts, NodeScriptsProps
from ultracluster.orchestration.pcs_cluster import (
    PcsCluster,
    PcsClusterProps,
    PcsGroup,
    PcsQueue,
    PcsScript,
    PurchaseOption,
    Size,
)
from ultracluster.orchestration.pcs_node_role import PcsNodeRole, PcsNodeRoleProps
from ultracluster.orchestration.session_document import SessionDocument, SessionDocumentProps

__all__ = [
    "AccountingDatabase",
    "AccountingDatabaseCluster",
    "AccountingDatabaseClusterProps",
    "AutoPatch",
    "BatchSize",
    "DeepHealthCheck",
    "Deployment",
    "HyperPodAutoscalingRole",
    "HyperPodAutoscalingRoleProps",
    "HyperPodEksCluster",
    "HyperPodEksClusterProps",
    "HyperPodExecutionRole",
    "HyperPodExecutionRoleProps",
    "HyperPodGroup",
    "HyperPodSlurmCluster",
    "HyperPodSlurmClusterProps",
    "HyperPodTaskGovernance",
    "HyperPodTaskGovernanceProps",
    "KubernetesTaint",
    "Lifecycle",
    "LustreMount",
    "NodeAccess",
    "NodeMetricsAccess",
    "NodeRecovery",
    "NodeScripts",
    "NodeScriptsProps",
    "NodeType",
    "OpenZfsMount",
    "PcsCluster",
    "PcsClusterProps",
    "PcsGroup",
    "PcsNodeRole",
    "PcsNodeRoleProps",
    "PcsQueue",
    "PcsScript",
    "Preemption",
    "PurchaseOption",
    "ScheduledUpdate",
    "SessionDocument",
    "SessionDocumentProps",
    "Sharing",
    "Size",
    "SlurmConfigStrategy",
    "TaintEffect",
    "TeamQuotaProps",
]
