"""Constructs for Kubernetes control planes, their nodes and their contents."""

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
