"""Control planes of Kubernetes, their machines, and what is put into them."""

from ultracluster.kubernetes.hyperpod_autoscaling_role import (
    HyperPodAutoscalingRole,
    HyperPodAutoscalingRoleProps,
)
from ultracluster.kubernetes.hyperpod_eks_cluster import HyperPodEksCluster, HyperPodEksClusterProps
from ultracluster.kubernetes.hyperpod_task_governance import (
    HyperPodTaskGovernance,
    HyperPodTaskGovernanceProps,
    Preemption,
    Sharing,
    TeamQuotaProps,
)

__all__ = [
    "HyperPodAutoscalingRole",
    "HyperPodAutoscalingRoleProps",
    "HyperPodEksCluster",
    "HyperPodEksClusterProps",
    "HyperPodTaskGovernance",
    "HyperPodTaskGovernanceProps",
    "Preemption",
    "Sharing",
    "TeamQuotaProps",
]
