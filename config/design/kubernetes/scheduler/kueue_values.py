"""Values of Kueue's chart."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from config.design.kubernetes.scheduler.amounts import DEVICE_CLASSES, counts_claims
from config.design.kubernetes.scheduler.placement import Placement
from config.design.kubernetes.scheduler.shares import Shares
from config.profile.kubernetes.scheduler import KueueSettings

FRAMEWORKS = (
    "batch/job", "kubeflow.org/mpijob", "jobset.x-k8s.io/jobset", "trainer.kubeflow.org/trainjob", "pod",
    "deployment", "statefulset", "leaderworkerset.x-k8s.io/leaderworkerset",
)  # fmt: skip
"""Workload types that Kueue suspends until a queue has capacity; LeaderWorkerSet works only with
pods and StatefulSets."""

FEATURES = (
    "TopologyAwareScheduling", "TASFailedNodeReplacement", "TASFailedNodeReplacementFailFast",
    "TASReplaceNodeOnPodTermination", "TASReplaceNodeOnNodeTaints",
)  # fmt: skip
"""Feature gates for topology placement and node replacement, also of tainted nodes (failure report EKS-42).

They are on by default. They are set here so that a Kueue version that lacks one of them fails at its
start."""


def kueue_values(
    shares: Shares, settings: KueueSettings, placement: Placement, kubernetes_version: str
) -> dict[str, Any]:
    """Return the values of the release: placement of the manager, and the workloads that it manages.

    The chart expects the manager's configuration as YAML. It is written as JSON, which is valid YAML and much
    faster to write.
    """
    return {
        "controllerManager": {
            "featureGates": [{"name": name, "enabled": True} for name in FEATURES],
            "replicas": placement.replicas,
            "manager": {"priorityClassName": "system-cluster-critical"},
            "nodeSelector": placement.node_selector,
            "tolerations": placement.tolerations,
            "podDisruptionBudget": {"enabled": placement.replicas > 1, "minAvailable": 1},
        },
        "managerConfig": {
            "controllerManagerConfigYaml": json.dumps(
                _configuration(shares, settings, kubernetes_version), indent=2
            )
        },
    }


def _configuration(shares: Shares, settings: KueueSettings, kubernetes_version: str) -> dict[str, Any]:
    fair = {"fairSharing": {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]}}
    return {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "health": {"healthProbeBindAddress": ":8081"},
        "metrics": {"bindAddress": ":8443", "enableClusterQueueResources": True},
        "webhook": {"port": 9443},
        "leaderElection": {"leaderElect": True, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
        "clientConnection": {"qps": 300, "burst": 500},
        # jobs cannot bypass the quota in a team's namespace, and Kueue does not suspend other workloads
        "manageJobsWithoutQueueName": True,
        "managedJobsNamespaceSelector": _only(sorted({team.namespace for team in shares.teams})),
        "waitForPodsReady": {
            "timeout": f"{settings.ready_minutes}m",
            "recoveryTimeout": f"{settings.recovery_minutes}m",
            "blockAdmission": False,
            "requeuingStrategy": {
                "timestamp": "Creation",
                "backoffBaseSeconds": 60,
                "backoffMaxSeconds": 3600,
            },
        },
        "integrations": {"frameworks": list(FRAMEWORKS)},
        **(fair if settings.fair_sharing else {}),
        "resources": _resources(shares, kubernetes_version),
    }


def _only(namespaces: Sequence[str]) -> dict[str, Any]:
    return {
        "matchExpressions": [
            {"key": "kubernetes.io/metadata.name", "operator": "In", "values": list(namespaces)}
        ]
    }


def _resources(shares: Shares, kubernetes_version: str) -> dict[str, Any]:
    # quotas do not cover disks, and a job with a resource that no queue counts would wait forever
    found: dict[str, Any] = {"excludeResourcePrefixes": ["ephemeral-storage"]}
    if not counts_claims(kubernetes_version):
        return found
    counted = {name for machines in shares.machines for name, value in machines.node.items() if value}
    found["deviceClassMappings"] = [
        {"name": name, "deviceClassNames": [device_class]}
        for name, device_class in DEVICE_CLASSES.items()
        if name in counted
    ]
    return found
