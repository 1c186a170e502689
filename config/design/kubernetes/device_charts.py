"""Helm releases that allocate GPUs and EFA interfaces, each for selected nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from config.design.kubernetes.devices import EFA_LABEL, GPU_LABEL, GroupDevices
from config.design.kubernetes.model import Part
from config.design.kubernetes.steps import Release, Step
from config.design.kubernetes.taints import tolerations

TOLERATES_GPU_NODES: tuple[Mapping[str, str], ...] = (
    {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
)
"""Toleration of DaemonSets on GPU nodes; the EFA charts do not set it by default."""

TOLERATES_CHECKED_NODES: Mapping[str, str] = {
    "key": "sagemaker.amazonaws.com/node-health-status",
    "operator": "Equal",
    "value": "Unschedulable",
    "effect": "NoSchedule",
}
"""Toleration of DaemonSets on HyperPod nodes that run deep health checks, as in HyperPod's own chart
(aws/sagemaker-hyperpod-cli:helm_chart/HyperPodHelmChart/values.yaml)."""

Tolerations = tuple[Mapping[str, str], ...]

TYPE_LABEL = "node.kubernetes.io/instance-type"
GPU_NAMESPACE = "gpu-operator"
DRA_NAMESPACE = "dra-driver-nvidia-gpu"
PLUGIN_NAMESPACE = "nvidia-device-plugin"
_KUBE_SYSTEM = "kube-system"


def plan_devices(owners: Sequence[GroupDevices], *, labelled: bool) -> Part:
    """Return the device plugins and drivers of the groups' nodes.

    `labelled`: nodes have labels for their devices. HyperPod nodes do not have these labels, so they are
    selected by instance type; they run the plugins during deep health checks too. The plugins tolerate the
    taints of the profile's groups. Helm does not wait for these DaemonSets: one node that is not ready would
    fail the release, and with it the update of the stack (failure report EKS-48).
    """
    marked = () if labelled else (TOLERATES_CHECKED_NODES,)
    own = tolerations(taint for devices in owners for taint in devices.taints)
    tolerated = (*TOLERATES_GPU_NODES, *marked, *own)
    operated = any(devices.operated and devices.gpu for devices in owners)
    domains = any(devices.compute_domains for devices in owners)
    steps: list[Step] = []
    if operated:
        steps.append(_gpu_operator(owners, tolerated))
    if any(devices.gpu == "plugin" for devices in owners):
        steps.append(_gpu_plugin(_gpu_nodes("plugin", owners, labelled=labelled), tolerated))
    if domains and not operated:
        steps.append(_feature_discovery(_gpu_nodes("dra", owners, labelled=labelled), tolerated))
    if any(devices.gpu == "dra" for devices in owners):
        steps.append(_gpu_dra(_gpu_nodes("dra", owners, labelled=labelled), tolerated, domains=domains))
    for owner in ("plugin", "dra"):
        types = {name for devices in owners if devices.efa == owner for name in devices.types}
        if types:
            steps.append(_efa(owner, sorted(types), tolerated, labelled=labelled))
    return Part(steps=tuple(steps))


MOFED_OFF = {"name": "MOFED_ENABLED", "value": "false"}


def _gpu_nodes(owner: str, owners: Sequence[GroupDevices], *, labelled: bool) -> Mapping[str, Any]:
    """Return a node selector by label or instance type; it replaces the chart's detection of GPU nodes."""
    types = sorted({name for devices in owners if devices.gpu == owner for name in devices.types})
    wanted = (GPU_LABEL, [owner]) if labelled else (TYPE_LABEL, types)
    owned = {"matchExpressions": [{"key": wanted[0], "operator": "In", "values": wanted[1]}]}
    return {
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [owned]}}
    }


def _gpu_plugin(affinity: Mapping[str, Any], tolerated: Tolerations) -> Release:
    """Return the release of NVIDIA's device plugin.

    `mofedEnabled` is set to false: versions 0.19.0 to 0.19.2 enabled it by default, and used the EFA devices
    (https://github.com/NVIDIA/k8s-device-plugin/releases/tag/v0.19.3).
    """
    return Release(
        name="nvidia-device-plugin",
        chart="nvidia-device-plugin",
        namespace=PLUGIN_NAMESPACE,
        wait=False,
        values={
            "affinity": affinity,
            "devicePlugin": {"enabled": True},
            "gfd": {"enabled": False},
            "mofedEnabled": False,
            "tolerations": [*tolerated],
        },
    )


def _feature_discovery(affinity: Mapping[str, Any], tolerated: Tolerations) -> Release:
    """Return GPU feature discovery, which sets the label `nvidia.com/gpu.clique` for compute domains."""
    return Release(
        name="gpu-feature-discovery",
        chart="nvidia-device-plugin",
        namespace=PLUGIN_NAMESPACE,
        wait=False,
        values={
            "affinity": affinity,
            "devicePlugin": {"enabled": False},
            "gfd": {"enabled": True},
            "nfd": {"worker": {"affinity": affinity, "tolerations": [*tolerated]}},
            "tolerations": [*tolerated],
        },
    )


def _gpu_operator(owners: Sequence[GroupDevices], tolerated: Tolerations) -> Release:
    """Return NVIDIA's GPU operator without its exporter, and without parts that AWS's images include.

    Source: https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/amazon-eks.html. Without
    MOFED_ENABLED, the operator's device plugin mounts EFA's device files if the module nvidia_fs is loaded
    (failure report EKS-13).
    """
    return Release(
        name="gpu-operator",
        chart="gpu-operator",
        namespace=GPU_NAMESPACE,
        wait=False,
        values={
            "driver": {"enabled": False},
            "toolkit": {"enabled": False},
            "migManager": {"enabled": False},
            "dcgmExporter": {"enabled": False},
            "devicePlugin": {
                "enabled": any(devices.gpu == "operator" for devices in owners),
                "env": [dict(MOFED_OFF)],
            },
            "gfd": {"enabled": True},
            "nfd": {"enabled": True},
            "daemonsets": {"tolerations": [*tolerated]},
            "node-feature-discovery": {"worker": {"tolerations": [*tolerated]}},
        },
    )


def _gpu_dra(affinity: Mapping[str, Any], tolerated: Tolerations, *, domains: bool) -> Release:
    """Return NVIDIA's DRA driver for GPUs, and for compute domains if NVLink spans nodes.

    The chart's node affinity for control plane nodes is removed, because EKS has no such nodes.
    """
    return Release(
        name="dra-driver-nvidia-gpu",
        chart="dra-driver-nvidia-gpu",
        namespace=DRA_NAMESPACE,
        wait=False,
        values={
            "gpuResourcesEnabledOverride": True,
            "resources": {"gpus": {"enabled": True}, "computeDomains": {"enabled": domains}},
            "controller": {
                "affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}}
            },
            "kubeletPlugin": {"affinity": affinity, "tolerations": [*tolerated]},
        },
    )


def _efa(owner: str, types: Sequence[str], tolerated: Tolerations, *, labelled: bool) -> Release:
    """Return EFA's device plugin or DRA driver, for EFA nodes of the groups' instance types.

    The lists of types in the charts' values have lacked new families more than once (aws-samples/aws-do-eks
    #56), and do not contain HyperPod's `ml.` names.
    """
    chart = "aws-efa-k8s-device-plugin" if owner == "plugin" else "aws-dranet"
    return Release(
        name=chart,
        chart=chart,
        namespace=_KUBE_SYSTEM,
        wait=False,
        values={
            "nodeSelector": {EFA_LABEL: owner} if labelled else {},
            "supportedInstanceLabels": {"keys": [TYPE_LABEL], "values": [*types]},
            "tolerations": [*tolerated],
        },
    )
