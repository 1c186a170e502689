"""What components in the cluster ask of the nodes of a group: labels, taints at start, services kept off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from config.design.capacity.groups import GroupPlan
from config.design.kubernetes.csi import startup_taints
from config.design.kubernetes.devices import group_devices
from config.design.nodes.storage import NodeStorage
from config.profile.orchestrator import AnyOrchestrator, Eks, HyperPodEks

IMEX_SERVICE = "nvidia-imex.service"
"""The host's IMEX daemon, which keeps those of compute domains from starting (NVIDIA/aicr #2520)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeNeeds:
    """What one group's nodes need.

    `startup_taints` are keys of NoExecute taints that drivers take away once they run, `masked_services`
    services of systemd that are masked before the node joins.
    """

    group: str
    labels: dict[str, str] = field(hash=False)
    startup_taints: tuple[str, ...] = ()
    masked_services: tuple[str, ...] = ()


def node_needs(
    orchestrator: AnyOrchestrator | None,
    groups: Sequence[GroupPlan],
    storage: NodeStorage,
    own_plugin: frozenset[str] = frozenset(),
) -> dict[str, NodeNeeds]:
    """What the nodes of each group need, by the group's name.

    Nodes of HyperPod get labels alone: with deep health checks it takes no taints of others, and a taint that
    drivers take away would come back with the group's next update.
    """
    if not isinstance(orchestrator, Eks | HyperPodEks):
        return {}
    eks = isinstance(orchestrator, Eks)
    devices = {found.group: found for found in group_devices(orchestrator, groups, own_plugin)}
    return {
        group.name: NodeNeeds(
            group=group.name,
            labels=devices[group.name].labels if group.name in devices else {},
            startup_taints=startup_taints(storage) if eks and group.role == "compute" else (),
            masked_services=(IMEX_SERVICE,)
            if group.name in devices and devices[group.name].compute_domains
            else (),
        )
        for group in groups
    }
