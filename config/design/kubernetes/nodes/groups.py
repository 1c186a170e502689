"""Managed node groups of an EKS cluster, from the groups of a profile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from config.catalog import catalog
from config.catalog.kubernetes.eks import ImageFamily
from config.design.capacity.groups import GroupPlan
from config.design.kubernetes.nodes.bottlerocket import bottlerocket_settings
from config.design.kubernetes.nodes.needs import NodeNeeds, node_needs
from config.design.kubernetes.nodes.repair import RepairPlan, plan_repair
from config.design.names import replaceable_name
from config.design.network.plan import NetworkPlan
from config.design.nodes.repair.policy import RepairPolicy, policy_of
from config.design.nodes.storage import NodeStorage
from config.design.storage.local_disks import node_config
from config.profile.capacity.groups import Group
from config.profile.kubernetes.base import Kubernetes
from config.profile.kubernetes.eks import Eks
from config.profile.model import Profile

Effect = Literal["NO_SCHEDULE", "NO_EXECUTE", "PREFER_NO_SCHEDULE"]

GROUP_LABEL = "ultracluster/group"
"""Label of every node with the name of its group in the profile."""

ROLE_LABEL = "ultracluster/role"
"""Label of every node with its role: `compute` or `system`."""

EFA_LABEL = "ultracluster/efa"
"""Label of nodes with EFA interfaces; EFA workloads select the value `true` (EKS-20)."""

GPU_LABEL = "nvidia.com/gpu.present"
"""Label of nodes with GPUs; NVIDIA's charts select the value `true`. Only AL2023 nodes set it themselves."""

GPU_TAINT = "nvidia.com/gpu"
"""Taint of GPU nodes: only pods that tolerate it run there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taint:
    """A taint as EKS represents it."""

    key: str
    value: str
    effect: Effect = "NO_SCHEDULE"


@dataclass(frozen=True, slots=True, kw_only=True)
class EksGroupPlan:
    """Properties of an EKS node group, other than its launch template.

    `name` is the name in EKS. The name contains a hash of all properties that only a replacement can change.
    The new group's name therefore differs from the old group's (SLURM-12). `release` is None if EKS selects
    the image. `node_config` is for nodeadm and `settings` for Bottlerocket; a group has one of them.
    `masked_services` are disabled at boot. `minimal_update`: a node is terminated before its replacement
    starts, for groups without a spare instance.
    """

    name: str
    group: GroupPlan
    ami_type: str
    release: str | None
    kubernetes_version: str
    min_size: int
    max_size: int
    labels: Mapping[str, str] = field(hash=False)
    taints: tuple[Taint, ...]
    masked_services: tuple[str, ...]
    node_config: Mapping[str, Any] | None = field(hash=False)
    settings: str | None
    root_device: str
    minimal_update: bool
    repair: RepairPlan | None


def plan_node_groups(
    profile: Profile,
    eks: Eks,
    network: NetworkPlan,
    groups: Iterable[GroupPlan],
    needs: Mapping[str, NodeNeeds],
) -> tuple[EksGroupPlan, ...]:
    """Return the node groups by name; a group without an interface layout is omitted (a rule reports it).

    `needs` are the requirements of the nodes by group name. Groups whose nodes Karpenter launches are
    omitted.
    """
    declared = {group.name: group for group in profile.compute.groups} if profile.compute else {}
    wanted = profile.storage is not None and profile.storage.local_nvme is not None
    known = {subnet.name for subnet in network.subnets}
    launched = {group.name for group in eks.karpenter.groups} if eks.karpenter else set()
    policy = policy_of(profile)
    return tuple(
        _group(eks, network, group, declared[group.name], needs[group.name], policy, local_storage=wanted)
        for group in sorted(groups, key=lambda group: group.name)
        if group.layout is not None and group.subnet in known and group.name not in launched
    )


def with_own_plugin(kubernetes: Kubernetes, groups: Iterable[GroupPlan]) -> frozenset[str]:
    """Return the groups whose image runs its own GPU plugin (Bottlerocket)."""
    bottlerocket = isinstance(kubernetes, Eks) and kubernetes.node_image.family == "bottlerocket"
    return frozenset(group.name for group in groups if bottlerocket and group.instance_type.is_gpu)


def labelled_needs(
    kubernetes: Kubernetes, groups: Sequence[GroupPlan], storage: NodeStorage
) -> dict[str, NodeNeeds]:
    """Return the requirements of the nodes of each group, with all their labels."""
    own = with_own_plugin(kubernetes, groups)
    asked = node_needs(kubernetes, groups, storage, own)  # type: ignore[arg-type]  # one of the two kinds
    return {
        group.name: replace(asked[group.name], labels=dict(_labels(group)) | asked[group.name].labels)
        for group in groups
    }


def _group(
    eks: Eks,
    network: NetworkPlan,
    group: GroupPlan,
    declared: Group,
    needs: NodeNeeds,
    policy: RepairPolicy,
    *,
    local_storage: bool,
) -> EksGroupPlan:
    family = eks.node_image.family
    ami_type = ami_type_of(group, family)
    subnet = network.subnet(group.subnet)
    place = [subnet.id, subnet.cidr, subnet.zone]
    create_only = [ami_type, group.purchase.eks, place, group.instance_type.name]
    releases = catalog().eks.image_releases[family]
    disks = local_storage and group.instance_type.local_nvme is not None
    pods = group.pods_per_node
    bottlerocket = family == "bottlerocket"
    return EksGroupPlan(
        name=replaceable_name(group.name, create_only),
        group=group,
        ami_type=ami_type,
        release=eks.node_image.release or releases.get(eks.kubernetes_version),
        kubernetes_version=eks.kubernetes_version,
        # EKS itself scales a group to 0 nodes before its Capacity Block ends
        min_size=0 if group.purchase.block else group.count,
        max_size=max(1, group.count),
        labels=needs.labels,
        taints=(
            *((Taint(key=GPU_TAINT, value="present"),) if group.instance_type.is_gpu else ()),
            *(Taint(key=one.key, value=one.value or "", effect=_EFFECTS[one.effect]) for one in group.taints),
            *(Taint(key=key, value="", effect="NO_EXECUTE") for key in needs.startup_taints),
        ),
        masked_services=needs.masked_services,
        node_config=None
        if bottlerocket
        else node_config(local_storage=disks, max_pods_expression=str(pods) if pods else None),
        settings=bottlerocket_settings(local_storage=disks, max_pods=pods) if bottlerocket else None,
        # Bottlerocket stores images and containers on its second volume
        root_device="/dev/xvdb" if bottlerocket else "/dev/xvda",
        minimal_update=group.instance_type.is_gpu,
        repair=plan_repair(group, eks.node_repair, policy),
    )


def ami_type_of(group: GroupPlan, family: ImageFamily) -> str:
    """Return EKS's AMI type of a group; a rule reports a family that has no image for an instance type."""
    instance = group.instance_type
    prefix = family.upper()
    fitting = [name for name in instance.eks_ami_types if name.upper().startswith(prefix)]
    # the FIPS variants have the longer names
    return min(fitting, key=len) if fitting else catalog().eks.cpu_ami_types[family][instance.arch]


_EFFECTS: Mapping[str, Effect] = {
    "no-schedule": "NO_SCHEDULE",
    "no-execute": "NO_EXECUTE",
    "prefer-no-schedule": "PREFER_NO_SCHEDULE",
}


def _labels(group: GroupPlan) -> Iterator[tuple[str, str]]:
    yield GROUP_LABEL, group.name
    yield ROLE_LABEL, group.role
    if group.efa_per_node:
        yield EFA_LABEL, "true"
    if group.instance_type.is_gpu:
        yield GPU_LABEL, "true"
    yield from group.labels.items()
