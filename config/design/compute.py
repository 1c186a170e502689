"""The machines that follow from a profile: types, interfaces and addresses of each group."""

from __future__ import annotations

from dataclasses import dataclass

from config.catalog import InstanceType, catalog
from config.design.network import PRIMARY
from config.profile.compute import Capacity, DeepHealthCheck, Group, TrainingPlan
from config.profile.model import Profile

NODES_FOR_CONNECTIVITY = 2
"""The deep health check of links between nodes needs as many (sagemaker-hyperpod-resiliency-slurm.html)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPlan:
    """A group of like nodes; `subnet` is its name in the network plan. Figures are for one node.

    Under HyperPod the service chooses the interfaces. `addresses_per_node` is then an upper bound, one for
    each network card: AWS states 32 for P5, the others follow from the cards (HyperPod prerequisites).
    """

    name: str
    role: str
    subnet: str
    instance_type: InstanceType
    count: int
    capacity: Capacity
    partition: str | None
    deep_health_checks: tuple[DeepHealthCheck, ...]
    threads_per_core: int | None
    volume_gib: int
    interfaces_per_node: int
    efa_per_node: int
    addresses_per_node: int

    @property
    def gpus(self) -> int:
        """GPUs of all nodes."""
        return self.count * self.instance_type.gpu.count if self.instance_type.gpu else 0

    @property
    def ultraserver(self) -> str | None:
        """The UltraServer that the group's training plan reserves."""
        return self.capacity.ultraserver if isinstance(self.capacity, TrainingPlan) else None

    @property
    def nvlink_domain_gpus(self) -> int:
        """GPUs that reach each other over NVLink: those of a node, or of a whole UltraServer."""
        unit = catalog().ultraservers.get(self.ultraserver or "")
        return unit.nvlink_domain_gpus if unit else self.instance_type.nvlink_domain_gpus


def plan_groups(profile: Profile) -> tuple[GroupPlan, ...]:
    """The groups of a profile whose instance type the catalogue knows, in the profile's order."""
    if profile.compute is None:
        return ()
    known = ((group, catalog().instance(group.instance_type)) for group in profile.compute.groups)
    return tuple(_plan(group, instance, profile.zone) for group, instance in known if instance is not None)


def _plan(group: Group, instance: InstanceType, zone: str) -> GroupPlan:
    has_efa = instance.max_efa > 0 and instance.is_gpu
    cards = len(instance.cards) if has_efa else 1
    return GroupPlan(
        name=group.name,
        role=group.role,
        subnet=PRIMARY if group.zone in (None, zone) else f"secondary-{group.zone}",
        instance_type=instance,
        count=group.count,
        capacity=group.capacity,
        partition=(group.partition or group.name) if group.role == "compute" else None,
        deep_health_checks=default_checks(group, instance)
        if group.deep_health_checks is None
        else group.deep_health_checks,
        # the API asks for 1 where a type has no multithreading (API_ClusterInstanceGroupSpecification)
        threads_per_core=group.threads_per_core or (1 if instance.threads_per_core == 1 else None),
        volume_gib=group.volume_gib,
        interfaces_per_node=cards,
        efa_per_node=instance.max_efa if has_efa else 0,
        addresses_per_node=cards,
    )


def default_checks(group: Group, instance: InstanceType) -> tuple[DeepHealthCheck, ...]:
    """All deep health checks that a group can run: none on CPU types, connectivity from two EFA nodes on."""
    if not instance.is_gpu:
        return ()
    if group.count < NODES_FOR_CONNECTIVITY or instance.max_efa == 0:
        return ("instance-stress",)
    return ("instance-connectivity", "instance-stress")
