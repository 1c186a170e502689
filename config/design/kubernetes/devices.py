"""Allocation of GPUs and EFA: device plugins, or dynamic resource allocation (DRA).

Each class of devices on a node has one owner. A plugin and a DRA driver that allocate the same devices
oversubscribe them without an error. Node labels name the owner, and each DaemonSet selects nodes by these
labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from config.catalog.kubernetes.components import kubernetes_components
from config.design.capacity.groups import GroupPlan
from config.profile.kubernetes.nodes import Taint
from config.profile.orchestrator import AnyOrchestrator, Eks, HyperPodEks

Owner = Literal["plugin", "dra", "operator", "image"]

GPU_LABEL = "ultracluster/gpu-devices"
"""Label for the owner of a node's GPUs; nodes without GPUs do not have it."""

EFA_LABEL = "ultracluster/efa-devices"
"""Label for the owner of a node's EFA devices; nodes without EFA do not have it."""

NOT_THE_OPERATORS = "nvidia.com/gpu.deploy.device-plugin"
"""Label whose value `false` keeps the GPU operator's plugin off a node
(`NVIDIA/gpu-operator:controllers/state_manager.go`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupDevices:
    """Owners of the devices of a group's nodes; None if the nodes have no such device.

    `compute_domains`: pods reach GPUs of other nodes over NVLink, through domains of the DRA driver.
    `operated`: the GPU operator runs in the cluster, and is kept off GPUs that it does not own. `taints` are
    the group's own taints, which the device plugins tolerate.
    """

    group: str
    types: tuple[str, ...]
    gpu: Owner | None
    efa: Owner | None
    compute_domains: bool = False
    operated: bool = False
    taints: tuple[Taint, ...] = ()

    @property
    def labels(self) -> dict[str, str]:
        """Return the labels of the nodes."""
        found = {GPU_LABEL: self.gpu, EFA_LABEL: self.efa}
        labels = {key: str(owner) for key, owner in found.items() if owner is not None}
        kept_off = self.operated and self.gpu not in (None, "operator")
        return labels | ({NOT_THE_OPERATORS: "false"} if kept_off else {})


def needs_dra(group: GroupPlan) -> bool:
    """Return whether the GPUs of several nodes form one NVLink domain, which EKS supports only with DRA.

    Source: https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-nvidia-ultraserver.html
    """
    return group.instance_type.family in kubernetes_components().needs_dra


def by_dra(orchestrator: Eks | HyperPodEks, group: GroupPlan) -> bool:
    """Return whether pods request a group's GPUs by claims: the profile's value, or the type's default."""
    components = orchestrator.components
    declared = components.group_devices.get(group.name, components.devices)
    default = isinstance(orchestrator, Eks) and needs_dra(group)
    return group.instance_type.is_gpu and (default if declared is None else declared == "dra")


def has_gpu_operator(orchestrator: Eks | HyperPodEks) -> bool:
    """Return whether NVIDIA's GPU operator is installed: the profile's value, or True for scheduler `kai`."""
    declared = orchestrator.components.gpu_operator
    return orchestrator.scheduler == "kai" if declared is None else declared


def group_devices(
    orchestrator: AnyOrchestrator | None,
    groups: Sequence[GroupPlan],
    own_plugin: frozenset[str] = frozenset(),
) -> tuple[GroupDevices, ...]:
    """Return the device owners of each group with GPUs or EFA, in the order of the groups.

    `own_plugin` names groups whose image runs its own GPU plugin (Bottlerocket).
    """
    if not isinstance(orchestrator, Eks | HyperPodEks):
        return ()
    found = (_devices(orchestrator, group, own_plugin) for group in groups)
    return tuple(devices for devices in found if devices.gpu or devices.efa)


def _devices(orchestrator: Eks | HyperPodEks, group: GroupPlan, own_plugin: frozenset[str]) -> GroupDevices:
    dra, operated = by_dra(orchestrator, group), has_gpu_operator(orchestrator)
    plugin: Owner = "operator" if operated else "plugin"
    if group.name in own_plugin:
        plugin = "image"
    efa_by_dra = dra and kubernetes_components().runs_under("efa-dra", orchestrator.kubernetes_version)
    hyperpod = isinstance(orchestrator, HyperPodEks)
    return GroupDevices(
        group=group.name,
        types=tuple(
            f"ml.{one.name}" if hyperpod else one.name for one in (group.instance_type, *group.fallbacks)
        ),
        gpu=None if not group.instance_type.is_gpu else "dra" if dra else plugin,
        efa=None if not group.efa_per_node else "dra" if efa_by_dra else "plugin",
        compute_domains=dra and needs_dra(group),
        operated=operated,
        taints=group.taints,
    )
