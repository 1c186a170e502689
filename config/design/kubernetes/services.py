"""Cluster services: node monitoring, metrics server and cert-manager."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from config.design.capacity.groups import GroupPlan
from config.design.kubernetes.device_charts import TOLERATES_GPU_NODES
from config.design.kubernetes.model import AddonPlan, Part
from config.design.kubernetes.taints import tolerations
from config.profile.orchestrator import Eks, HyperPodEks

NODE_MONITORING = "eks-node-monitoring-agent"
METRICS_SERVER = "metrics-server"
CERT_MANAGER = "cert-manager"


def plan_services(orchestrator: Eks | HyperPodEks, groups: Sequence[GroupPlan]) -> Part:
    """Return the add-ons that a profile enables; HyperPod monitors its nodes with its own agent."""
    components = orchestrator.components
    wanted = (
        (NODE_MONITORING, components.node_monitoring and isinstance(orchestrator, Eks)),
        (METRICS_SERVER, components.metrics_server),
        (CERT_MANAGER, components.cert_manager),
    )
    settings = {NODE_MONITORING: _monitoring_settings(groups)}
    return Part(
        addons=tuple(
            AddonPlan(name=name, after_nodes=True, settings=settings.get(name, {}))
            for name, there in wanted
            if there
        )
    )


def _monitoring_settings(groups: Sequence[GroupPlan]) -> Mapping[str, Any]:
    """Return the agent's settings. They add a toleration to the DCGM DaemonSet, which reads GPU state.

    Without DCGM the agent reports each tainted GPU node as faulty, and node repair acts on the report
    (https://github.com/aws/containers-roadmap/issues/2567 and /2555).
    """
    gpu = [group for group in groups if group.instance_type.is_gpu]
    if not gpu:
        return {}
    own = tolerations(taint for group in gpu for taint in group.taints)
    return {"dcgmAgent": {"tolerations": [*TOLERATES_GPU_NODES, *own]}}
