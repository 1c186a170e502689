"""Requirements of cluster components for the nodes of a group: labels, startup taints, masked services."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from config.design.capacity.groups import GroupPlan
from config.design.kubernetes.csi import startup_taints
from config.design.kubernetes.devices import group_devices
from config.design.nodes.storage import NodeStorage
from config.profile.orchestrator import AnyOrchestrator, Eks, HyperPodEks

IMEX_SERVICE = "nvidia-imex.service"
"""The host's IMEX daemon, which prevents the daemons of compute domains from starting (NVIDIA/aicr #2520)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeNeeds:
    """Requirements for the nodes of one group.

    `startup_taints` are keys of NoExecute taints that CSI drivers remove once they run. `masked_services` are
    systemd services that are masked before the node joins.
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
    """Return the requirements for the nodes of each group, by group name.

    HyperPod nodes get only labels. HyperPod rejects custom taints on groups that run deep health checks. At
    the next update of the group, HyperPod would also restore a taint that a driver has removed.
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
