"""A whole Kubernetes cluster: control plane, node groups and contents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from config.design.access.people import ClusterUsers
from config.design.capacity.groups import GroupPlan
from config.design.kubernetes.addons import network_and_names, versioned
from config.design.kubernetes.cluster import ControlPlanePlan, plan_control_plane
from config.design.kubernetes.components import plan_components
from config.design.kubernetes.csi import ClusterStorage
from config.design.kubernetes.hyperpod_parts import hyperpod_part
from config.design.kubernetes.model import Part, after_nodes, summed
from config.design.kubernetes.nodes.groups import (
    EksGroupPlan,
    labelled_needs,
    plan_node_groups,
    with_own_plugin,
)
from config.design.kubernetes.nodes.karpenter import KarpenterPlan, karpenter_cluster, plan_karpenter
from config.design.kubernetes.nodes.needs import NodeNeeds
from config.design.kubernetes.people import people_entries
from config.design.kubernetes.scheduler.part import NAMESPACES, is_governed
from config.design.kubernetes.scheduler.part import part as scheduler_part
from config.design.kubernetes.scheduler.shares import namespaces_of
from config.design.network.plan import NetworkPlan
from config.design.nodes.scripts import NodeScriptsPlan
from config.design.nodes.storage import NodeStorage
from config.design.storage.object_storage import ExpressPlan, MountpointPlan
from config.profile.kubernetes.base import Kubernetes
from config.profile.kubernetes.eks import Eks
from config.profile.kubernetes.hyperpod_eks import HyperPodEks
from config.profile.model import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class EksPlan:
    """An EKS cluster, with EKS or HyperPod nodes.

    `groups` are the managed node groups; HyperPod's and Karpenter's groups are not included. `needs` are the
    requirements of the nodes of each group, by group name, with all labels. `scripts` run on nodes before the
    kubelet starts; None if the image does not run scripts. `contents` are the cluster's contents, in order.
    """

    control_plane: ControlPlanePlan
    groups: tuple[EksGroupPlan, ...]
    needs: dict[str, NodeNeeds]
    karpenter: KarpenterPlan | None
    scripts: NodeScriptsPlan | None
    storage: NodeStorage
    contents: Part

    @property
    def cluster_name(self) -> str:
        """Name of the cluster in EKS."""
        return self.control_plane.cluster_name


def plan_eks(
    profile: Profile,
    data_profile: Profile | None,
    network: NetworkPlan | None,
    groups: tuple[GroupPlan, ...],
    storage: NodeStorage,
    scripts: NodeScriptsPlan | None,
    *,
    mountpoints: tuple[MountpointPlan, ...] = (),
    express: ExpressPlan | None = None,
    users: ClusterUsers | None = None,
    collection: Part | None = None,
) -> EksPlan | None:
    """Return the EKS cluster of a profile; None with another control plane or without a network.

    `collection` collects the metrics.
    """
    kubernetes = profile.orchestrator
    if not isinstance(kubernetes, Kubernetes) or network is None:
        return None
    entries = people_entries(kubernetes, users or ClusterUsers())
    control_plane = plan_control_plane(profile, data_profile, network, kubernetes, entries)
    needs = labelled_needs(kubernetes, groups, storage)
    scripts = scripts if isinstance(kubernetes, Eks) else None  # HyperPod runs the scripts itself
    karpenter = None
    if isinstance(kubernetes, Eks) and kubernetes.karpenter is not None:
        cluster = karpenter_cluster(kubernetes, control_plane.cluster_name, groups, network)
        karpenter = plan_karpenter(profile, groups, needs, cluster, scripts)
    governed = is_governed(kubernetes)
    shared = ClusterStorage(
        region=profile.region,
        nodes=storage,
        mountpoints=mountpoints,
        express=express,
        # task governance creates the teams' namespaces after all other steps
        namespaces=("default",) if governed else namespaces_of(kubernetes.scheduling),
    )
    parts = _parts(profile, kubernetes, groups, shared, karpenter, collection)
    return EksPlan(
        control_plane=control_plane,
        groups=plan_node_groups(profile, kubernetes, network, groups, needs)
        if isinstance(kubernetes, Eks)
        else (),
        needs=needs,
        karpenter=karpenter,
        scripts=scripts,
        storage=storage,
        contents=versioned(after_nodes(summed(parts)), kubernetes),
    )


def _parts(
    profile: Profile,
    kubernetes: Kubernetes,
    groups: tuple[GroupPlan, ...],
    storage: ClusterStorage,
    karpenter: KarpenterPlan | None,
    collection: Part | None,
) -> Iterator[Part]:
    """Return the contents of the cluster: one part for each component, after the parts that it requires.

    Each part lists the steps after which it is deployed. Parts that do not list steps are deployed in the
    order of this list.
    """
    yield network_and_names()
    governed = is_governed(kubernetes)
    if isinstance(kubernetes, HyperPodEks):
        yield hyperpod_part(profile, kubernetes, groups)
    yield scheduler_part(kubernetes, groups)
    assert isinstance(kubernetes, Eks | HyperPodEks)
    yield from plan_components(
        kubernetes,
        groups,
        storage,
        own_plugin=with_own_plugin(kubernetes, groups),
        namespaces_from=() if governed else (NAMESPACES,),
    )
    if karpenter is not None:
        yield karpenter.part
    if profile.calendar is not None:
        from config.design.kubernetes.calendar import calendar_part  # only if the calendar cordons nodes

        yield calendar_part(profile, kubernetes, groups)
    if collection is not None:
        yield collection
