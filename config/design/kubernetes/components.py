"""Cluster components other than the scheduler."""

from __future__ import annotations

from collections.abc import Sequence

from config.design.capacity.groups import GroupPlan
from config.design.kubernetes.csi import ClusterStorage, plan_storage
from config.design.kubernetes.device_charts import plan_devices
from config.design.kubernetes.devices import group_devices
from config.design.kubernetes.model import Part
from config.design.kubernetes.services import plan_services
from config.design.kubernetes.training import plan_training
from config.profile.orchestrator import Eks, HyperPodEks


def plan_components(
    orchestrator: Eks | HyperPodEks,
    groups: Sequence[GroupPlan],
    storage: ClusterStorage,
    *,
    own_plugin: frozenset[str] = frozenset(),
    namespaces_from: tuple[str, ...] = (),
) -> tuple[Part, ...]:
    """Return the parts for devices, services, storage and training frameworks, in the order of deployment.

    `own_plugin` names groups whose image runs its own GPU plugin. `namespaces_from` names the steps that
    create the namespaces of `storage`.
    """
    owners = group_devices(orchestrator, groups, own_plugin)
    return (
        plan_devices(owners, labelled=isinstance(orchestrator, Eks)),
        plan_services(orchestrator, groups),
        plan_storage(storage, namespaces_from),
        plan_training(orchestrator),
    )
