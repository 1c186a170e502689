"""Who gives pods their GPUs and EFA: device plugins, which count, or dynamic resource allocation (DRA).

One owner for each class of devices on a node: a plugin and a DRA driver that both hand out the same devices
oversubscribe them without a word. Labels of the nodes say who owns what, and every DaemonSet goes by them.
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
"""Who hands out the GPUs of a node; nodes without GPUs do not have it."""

EFA_LABEL = "ultracluster/efa-devices"
"""Who hands out the EFA devices of a node; nodes without EFA do not have it."""

NOT_THE_OPERATORS = "nvidia.com/gpu.deploy.device-plugin"
"""`false`: the GPU operator's plugin stays off a node (NVIDIA/gpu-operator:controllers/state_manager.go)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupDevices:
    """Who owns the devices of a group's nodes; None: they have none of the kind.

    `compute_domains`: pods reach GPUs of other nodes over NVLink, by domains of the DRA driver. `operated`:
    the GPU operator runs in the cluster, and is kept off GPUs that are not its own. `taints` are the group's
    own: what hands out its devices runs there all the same.
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
        """What the nodes are labelled with."""
        found = {GPU_LABEL: self.gpu, EFA_LABEL: self.efa}
        labels = {key: str(owner) for key, owner in found.items() if owner is not None}
        kept_off = self.operated and self.gpu not in (None, "operator")
        return labels | ({NOT_THE_OPERATORS: "false"} if kept_off else {})


def needs_dra(group: GroupPlan) -> bool:
    """True for machines whose GPUs are one NVLink domain over several nodes: EKS has them by DRA alone.

    Source: https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-nvidia-ultraserver.html
    """
    return group.instance_type.family in kubernetes_components().needs_dra


def by_dra(orchestrator: Eks | HyperPodEks, group: GroupPlan) -> bool:
    """Whether pods ask for a group's GPUs by claims: as stated, and else where the machines want it."""
    components = orchestrator.components
    stated = components.group_devices.get(group.name, components.devices)
    default = isinstance(orchestrator, Eks) and needs_dra(group)
    return group.instance_type.is_gpu and (default if stated is None else stated == "dra")


def has_gpu_operator(orchestrator: Eks | HyperPodEks) -> bool:
    """Whether NVIDIA's GPU operator is installed: where stated, and else under the scheduler kai."""
    stated = orchestrator.components.gpu_operator
    return orchestrator.scheduler == "kai" if stated is None else stated


def group_devices(
    orchestrator: AnyOrchestrator | None,
    groups: Sequence[GroupPlan],
    own_plugin: frozenset[str] = frozenset(),
) -> tuple[GroupDevices, ...]:
    """Who owns the devices of each group with GPUs or EFA, in the order of the groups.

    `own_plugin` names groups whose image runs a GPU plugin of its own: those of Bottlerocket.
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
