"""Node groups of a profile with instance types, interfaces and addresses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from config.catalog import InstanceType, Layout, UltraServer, catalog
from config.design.capacity.purchase import Purchase, purchase_of
from config.design.capacity.windows import Window
from config.design.network.interfaces import addresses_with_pods, layout_of, most_pods
from config.design.zones import PRIMARY
from config.profile.capacity.groups import AnyCapacity, DeepHealthCheck, Group, PlacementGroup
from config.profile.kubernetes.nodes import Taint
from config.profile.model import Profile
from config.profile.orchestrator import AnyOrchestrator, Eks, HyperPodEks, HyperPodSlurm
from config.profile.slurm.hyperpod import AutoPatch, ScheduledUpdate
from config.profile.slurm.pcs import Pcs

NODES_FOR_CONNECTIVITY = 2
"""Minimum nodes for HyperPod's `instance-connectivity` check (sagemaker-hyperpod-resiliency-slurm.html)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeInterfaces:
    """Interfaces and IP addresses of one node.

    `layout` is None under HyperPod, which configures the interfaces itself. The numbers are then upper
    limits. Under Slurm, each network card uses one address. Under EKS, all addresses of the primary interface
    are added. AWS documents 32 and 81 for P5; the values of other types follow from their cards (HyperPod
    prerequisites). `pods` is None outside Kubernetes, and under HyperPod.
    """

    layout: Layout | None
    interfaces: int
    efa: int
    addresses: int
    pods: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPlan:
    """A node group; its interfaces and volumes are those of one node.

    `subnet` is the name of a subnet in the network plan. `fallbacks` are the types that HyperPod uses if
    `instance_type` is not available; `node.addresses` is then the maximum of all types. HyperPod sizes its
    own root volume and ignores `root_volume_gib`.
    """

    name: str
    role: str
    subnet: str
    instance_type: InstanceType
    count: int
    purchase: Purchase
    window: Window | None
    placement_group: PlacementGroup | None
    partition: str | None
    deep_health_checks: tuple[DeepHealthCheck, ...]
    threads_per_core: int | None
    volume_gib: int
    root_volume_gib: int
    node: NodeInterfaces
    fallbacks: tuple[InstanceType, ...] = ()
    min_count: int | None = None
    volume_key_arn: str | None = None
    root_volume_key_arn: str | None = None
    ami_id: str | None = None
    scheduled_update: ScheduledUpdate | None = None
    auto_patch: AutoPatch | None = None
    image_release: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict, hash=False)
    taints: tuple[Taint, ...] = ()
    spare: int = 0

    @property
    def capacity(self) -> AnyCapacity:
        """The purchase option from the profile."""
        return self.purchase.capacity

    @property
    def usable(self) -> int:
        """Nodes that run jobs while all nodes are healthy: `count` less `spare`."""
        return max(0, self.count - self.spare)

    @property
    def types(self) -> tuple[InstanceType, ...]:
        """All instance types that a node may have; the first is `instance_type`."""
        return (self.instance_type, *self.fallbacks)

    @property
    def as_each_type(self) -> tuple[GroupPlan, ...]:
        """A copy of the group for each instance type that its nodes may have."""
        return (self, *(replace(self, instance_type=other, fallbacks=()) for other in self.fallbacks))

    @property
    def layout(self) -> Layout | None:
        """The interfaces in the launch template; None without a launch template."""
        return self.node.layout

    @property
    def interfaces_per_node(self) -> int:
        """Network interfaces of one node."""
        return self.node.interfaces

    @property
    def efa_per_node(self) -> int:
        """Interfaces of one node that carry EFA."""
        return self.node.efa

    @property
    def addresses_per_node(self) -> int:
        """IPv4 addresses that one node uses in its subnet."""
        return self.node.addresses

    @property
    def efa_gbps(self) -> float:
        """EFA bandwidth of one node in Gbps (0 without EFA): that of its layout if set, else of its type."""
        if not self.efa_per_node:
            return 0
        return self.instance_type.efa_gbps_of(self.layout) if self.layout else self.instance_type.efa_gbps

    @property
    def pods_per_node(self) -> int | None:
        """Pods that one node may run; None outside Kubernetes."""
        return self.node.pods

    @property
    def gpus(self) -> int:
        """GPUs of all nodes."""
        return self.count * self.instance_type.gpu.count if self.instance_type.gpu else 0

    @property
    def ultraserver(self) -> str | None:
        """The UltraServer type of the group's reservation; None for other instances."""
        return self.capacity.ultraserver

    @property
    def unit(self) -> UltraServer | None:
        """The catalogue entry of the UltraServer; None if there is none."""
        return catalog().ultraservers.get(self.ultraserver or "")

    @property
    def nvlink_domain_gpus(self) -> int:
        """Number of GPUs in one NVLink domain of the group's nodes or UltraServers."""
        return self.unit.nvlink_domain_gpus if self.unit else self.instance_type.nvlink_domain_gpus

    @property
    def ultraservers(self) -> int:
        """Number of UltraServers that contain the nodes; 0 if the nodes are not in UltraServers."""
        return -(-self.count // self.unit.instances) if self.unit else 0

    @property
    def spare_nodes(self) -> int:
        """Number of instances in the group's UltraServers that are not nodes of the group."""
        return self.ultraservers * self.unit.instances - self.count if self.unit else 0


def lustre_connections(group: GroupPlan) -> int:
    """Return the EFA connections of one node to a Lustre file system; 0 without EFA interfaces."""
    return group.instance_type.lustre_client_efa_interfaces or 0 if group.efa_per_node else 0


def plan_groups(profile: Profile) -> tuple[GroupPlan, ...]:
    """Return the groups of a profile whose instance type is in the catalogue, in the profile's order."""
    if profile.compute is None:
        return ()
    known = ((group, catalog().instance(group.instance_type)) for group in profile.compute.groups)
    return tuple(_plan(group, instance, profile) for group, instance in known if instance is not None)


def _plan(group: Group, instance: InstanceType, profile: Profile) -> GroupPlan:
    orchestrator = profile.orchestrator
    hyperpod = isinstance(orchestrator, HyperPodSlurm | HyperPodEks) or orchestrator is None
    known = (catalog().instance(name) for name in group.fallback_instance_types)
    fallbacks = tuple(other for other in known if other is not None)
    purchase = purchase_of(group.capacity)
    return GroupPlan(
        name=group.name,
        role=group.role,
        subnet=PRIMARY if group.zone in (None, profile.zone) else f"secondary-{group.zone}",
        instance_type=instance,
        count=group.count,
        purchase=purchase,
        window=purchase.window(orchestrator.kind if orchestrator else None),
        placement_group=group.placement_group,
        partition=_partition(group, orchestrator),
        deep_health_checks=_checks(group, instance, orchestrator) if hyperpod else (),
        # the API requires 1 for a type without multithreading (API_ClusterInstanceGroupSpecification)
        threads_per_core=group.threads_per_core or (1 if instance.threads_per_core == 1 else None),
        volume_gib=group.volume_gib,
        # EKS nodes get the PCS default: the volume must also fit container images
        root_volume_gib=group.root_volume_gib or catalog().pcs.root_volume_gib,
        node=_of_the_largest([instance, *fallbacks], group, orchestrator),
        fallbacks=fallbacks,
        min_count=group.min_count,
        volume_key_arn=group.volume_key_arn,
        root_volume_key_arn=group.root_volume_key_arn,
        ami_id=group.ami_id,
        scheduled_update=group.scheduled_update,
        auto_patch=group.auto_patch,
        image_release=group.image_release,
        labels=group.labels or {},
        taints=group.taints,
        spare=group.spare,
    )


def _of_the_largest(
    instances: list[InstanceType], group: Group, orchestrator: AnyOrchestrator | None
) -> NodeInterfaces:
    """Return the interfaces of `instance_type`, with the highest number of addresses that any type needs."""
    node, *others = (node_interfaces(group, instance, orchestrator) for instance in instances)
    return replace(node, addresses=max(n.addresses for n in (node, *others))) if others else node


def _partition(group: Group, orchestrator: AnyOrchestrator | None) -> str | None:
    if group.role != "compute" or isinstance(orchestrator, Eks | HyperPodEks):
        return None
    return group.partition or group.name


def node_interfaces(
    group: Group, instance: InstanceType, orchestrator: AnyOrchestrator | None
) -> NodeInterfaces:
    """Return the interfaces of one node, from the profile's layout or from HyperPod's defaults."""
    if not isinstance(orchestrator, Eks | Pcs):
        return _by_hyperpod(instance, orchestrator)
    layout = layout_of(group, instance, orchestrator)
    if layout is None:  # a rule reports the missing layout; addresses are then calculated as one per card
        return _by_hyperpod(instance, None)
    pods = _pods(instance, layout, orchestrator) if isinstance(orchestrator, Eks) else None
    return NodeInterfaces(
        layout=layout,
        interfaces=len(layout.interfaces),
        efa=layout.efa_count,
        addresses=layout.addresses if pods is None else addresses_with_pods(instance, layout, pods),
        pods=pods,
    )


def _pods(instance: InstanceType, layout: Layout, orchestrator: Eks) -> int:
    return orchestrator.pods_per_node or most_pods(instance, layout)


def _by_hyperpod(instance: InstanceType, orchestrator: AnyOrchestrator | None) -> NodeInterfaces:
    has_efa = instance.max_efa > 0 and instance.is_gpu
    cards = len(instance.cards) if has_efa else 1
    eks = isinstance(orchestrator, HyperPodEks)
    return NodeInterfaces(
        layout=None,
        interfaces=cards,
        efa=instance.max_efa if has_efa else 0,
        addresses=cards - 1 + instance.ipv4_per_interface if eks else cards,
        pods=None,
    )


def _checks(
    group: Group, instance: InstanceType, orchestrator: AnyOrchestrator | None
) -> tuple[DeepHealthCheck, ...]:
    if group.deep_health_checks is not None:
        return group.deep_health_checks
    # HyperPod rejects deep health checks together with taints or Karpenter
    return () if group.taints or _is_autoscaled(orchestrator) else default_checks(group, instance)


def _is_autoscaled(orchestrator: AnyOrchestrator | None) -> bool:
    return isinstance(orchestrator, HyperPodEks) and orchestrator.autoscaling is not None


def default_checks(group: Group, instance: InstanceType) -> tuple[DeepHealthCheck, ...]:
    """Return all deep health checks that a group can run.

    CPU types run none, and `instance-connectivity` needs two nodes with EFA.
    """
    if not instance.is_gpu:
        return ()
    if group.count < NODES_FOR_CONNECTIVITY or instance.max_efa == 0:
        return ("instance-stress",)
    return ("instance-connectivity", "instance-stress")
