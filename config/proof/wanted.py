"""Requirements of a proof: groups with EFA, and file systems that are used over EFA."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from config.catalog import InstanceType, Layout
from config.design.capacity.groups import GroupPlan, lustre_connections
from config.design.capacity.purchase import Purchase
from config.design.kubernetes.devices import Owner, group_devices
from config.design.kubernetes.nodes.groups import with_own_plugin
from config.design.model import Design
from config.design.network.plan import SubnetPlan
from config.design.nodes.scripts import NodeScriptsPlan
from config.profile.capacity.groups import ExistingPlacementGroup
from config.profile.kubernetes.base import Kubernetes
from config.profile.orchestrator import Eks, HyperPodEks
from config.proof.artefacts import Object

IMAGE = "IMAGE"
"""Placeholder for the user's job image."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedGroup:
    """A group of nodes with EFA, as the profile declares it.

    `layout` is the interface layout in the catalogue; None if the service creates the interfaces. `gpu_owner`
    and `efa_owner` name the plugin or driver that provides the devices to pods. `job_efa` is the number of
    EFA interfaces that a pod on a whole node requests.
    """

    name: str
    instance: InstanceType
    types: tuple[str, ...]
    count: int
    efa: int
    layout: Layout | None
    purchase: Purchase
    placement: str | None
    image: str | None
    subnet: SubnetPlan
    launched_by: str
    lustre_interfaces: int
    gpu_owner: Owner | None = None
    efa_owner: Owner | None = None
    compute_domains: bool = False
    job_efa: int = 0
    deep_health_checks: tuple[str, ...] = ()

    @property
    def reservation(self) -> str | None:
        """Return the reservation of the instances; None if the instances are not reserved."""
        return self.purchase.capacity.reservation


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedFileSystem:
    """A Lustre file system that nodes use over EFA.

    `id` and the security group `group` are set only for an existing file system. `own` is True if the profile
    itself declares the file system, and False if the attached profile declares it.
    """

    name: str
    id: str | None
    group: str | None
    subnet: SubnetPlan
    own: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """All requirements of a proof.

    `scripted` is True if nodes run ultracluster's scripts. `governed` is True if task governance creates the
    queues; the user then writes the jobs. `without` has the reason why each of the remaining groups and file
    systems is not checked.
    """

    profile: str
    orchestrator: str | None
    groups: tuple[WantedGroup, ...]
    file_systems: tuple[WantedFileSystem, ...]
    without: tuple[str, ...]
    scripted: bool
    scheduler: str | None
    governed: bool
    stacks: tuple[str, ...]
    bundle: str | None
    bundle_files: Mapping[str, str] = field(hash=False)


def wanted_of(design: Design) -> Wanted:
    """Return the requirements of a design."""
    profile, kind = design.profile, design.profile.orchestrator
    groups = tuple(_group(design, group) for group in design.groups if has_efa(group))
    reached = any(group.lustre_interfaces for group in groups)
    scripts = scripts_of(design)
    kubernetes = kind if isinstance(kind, Kubernetes) else None
    return Wanted(
        profile=profile.name,
        orchestrator=kind.kind if kind else None,
        groups=groups,
        file_systems=tuple(_file_systems(design)) if reached or kind is None else (),
        without=(*_groups_without(design), *_file_systems_without(design, reached=reached)),
        scripted=scripts is not None,
        scheduler=kubernetes.scheduler if kubernetes else None,
        governed=isinstance(kind, HyperPodEks) and kind.task_governance is not None,
        stacks=(profile.name, *((design.data_profile.name,) if design.data_profile else ())),
        bundle=f"{bundle_folder(design)}/{scripts.content_hash}" if scripts else None,
        bundle_files=scripts.files if scripts else {},
    )


def jobs_of(design: Design) -> dict[str, Sequence[Object]]:
    """Return a job for each group with EFA, as `ultracluster job` writes it.

    A job uses all nodes of its group. Groups without a job are left out.
    """
    kind = design.profile.orchestrator
    if not isinstance(kind, Eks | HyperPodEks):
        return {}
    # imported only for clusters with Kubernetes jobs
    from config.design.kubernetes.scheduler.job_nodes import Work
    from config.design.kubernetes.scheduler.jobs import gang_job

    found: dict[str, Sequence[Object]] = {}
    for group in design.groups:
        if has_efa(group):
            work = Work(image=IMAGE, command=("sleep", "infinity"))
            try:
                found[group.name] = gang_job(kind, design.groups, work, group=group.name)
            except LookupError:  # task governance creates the queues, or the group has no nodes
                continue
    return found


def has_efa(group: GroupPlan) -> bool:
    """Return whether a group's nodes have EFA and run jobs."""
    return group.efa_per_node > 0 and group.role == "compute"


def scripts_of(design: Design) -> NodeScriptsPlan | None:
    """Return ultracluster's scripts for the nodes; None if the nodes do not run them."""
    plan = design.hyperpod or design.hyperpod_eks or design.pcs or design.eks
    return plan.scripts if plan else None


def bundle_folder(design: Design) -> str:
    """Return the folder of the scripts in the assets bucket."""
    if design.hyperpod or design.hyperpod_eks:
        return "hyperpod-lifecycle"
    return "pcs-lifecycle" if design.pcs else "eks-nodes"


def _group(design: Design, group: GroupPlan) -> WantedGroup:
    assert design.network is not None  # a cluster without a network has no design
    kind = design.profile.orchestrator
    placement = group.placement_group
    own = with_own_plugin(kind, design.groups) if isinstance(kind, Kubernetes) else frozenset[str]()
    devices = next((one for one in group_devices(kind, design.groups, own) if one.group == group.name), None)
    return WantedGroup(
        name=group.name,
        instance=group.instance_type,
        types=tuple(one.name for one in group.types),
        count=group.count,
        efa=group.efa_per_node,
        layout=group.layout,
        purchase=group.purchase,
        placement=placement.name
        if isinstance(placement, ExistingPlacementGroup)
        else "new"
        if placement
        else None,
        image=group.ami_id,
        subnet=design.network.subnet(group.subnet),
        launched_by=_launcher(design, group),
        lustre_interfaces=lustre_connections(group),
        gpu_owner=devices.gpu if devices else None,
        efa_owner=devices.efa if devices else None,
        compute_domains=bool(devices and devices.compute_domains),
        job_efa=_job_efa(group),
        deep_health_checks=tuple(map(_in_api, group.deep_health_checks)),
    )


def _job_efa(group: GroupPlan) -> int:
    """Return the number of EFA interfaces of a node; without a layout, at most as many as in `ip-saving`."""
    usual = group.instance_type.layouts.get("ip-saving")
    if group.layout is not None or usual is None:
        return group.efa_per_node
    return min(group.efa_per_node, usual.efa_count)


def _launcher(design: Design, group: GroupPlan) -> str:
    if design.pcs is not None:
        return "pcs"
    if design.hyperpod is not None or design.hyperpod_eks is not None:
        return "hyperpod"
    karpenter = design.eks.karpenter if design.eks else None
    return "karpenter" if karpenter and group.name in karpenter.groups else "eks"


def _in_api(check: str) -> str:
    """Return the name of a deep health check in SageMaker's API."""
    return "".join(word.capitalize() for word in check.split("-"))


def _file_systems(design: Design) -> list[WantedFileSystem]:
    assert design.network is not None
    own = {system.name for system in design.own_file_systems}
    return [
        WantedFileSystem(
            name=system.name,
            id=system.existing.file_system_id if system.existing else None,
            group=system.existing.security_group_id if system.existing else None,
            subnet=design.network.primary,
            own=system.name in own,
        )
        for system in design.file_systems
        if system.efa
    ]


def _groups_without(design: Design) -> list[str]:
    evidence = []
    for group in design.groups:
        instance = group.instance_type
        if has_efa(group):
            continue
        if not instance.max_efa:
            why = f"{instance.name} has no EFA"
        elif group.role != "compute":
            why = f"nodes with the role {group.role} do not run jobs"
        elif not instance.is_gpu:
            why = f"{instance.name} has no GPUs, and the profile does not request EFA"
        else:
            why = f"the profile has `layout: none`, although {instance.name} has {instance.efa_gbps:g} Gbps"
        evidence.append(f"group {group.name}: {why}")
    return evidence


def _file_systems_without(design: Design, *, reached: bool) -> list[str]:
    evidence = []
    for system in design.file_systems:
        if not system.efa:
            evidence.append(f"file system {system.name}: created without EFA, so all traffic uses TCP")
        elif not reached and design.groups:
            evidence.append(
                f"file system {system.name}: no group of this profile uses the file system over EFA"
            )
    return evidence
