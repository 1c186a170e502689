"""Capacity that the nodes of a group provide to jobs."""

from __future__ import annotations

from dataclasses import dataclass, field

from config.design.capacity.groups import GroupPlan
from config.design.kubernetes.scheduler.amounts import (
    CPU,
    EFA,
    GPU,
    HUGEPAGES,
    IMEX,
    MEMORY,
    PODS,
    Amounts,
    times,
)
from config.design.kubernetes.scheduler.labels import HOST
from config.design.kubernetes.scheduler.topology import Levels, levels_of, topology_name
from config.design.kubernetes.taints import hard
from config.profile.kubernetes.nodes import Taint
from config.profile.kubernetes.scheduler import Scheduling

_PODS = 110
"""The kubelet's default maximum number of pods."""

_EVICTION_MIB = 100
_RESERVED_MIB, _RESERVED_MIB_PER_POD = 255, 11
_RESERVED_CPU = ((1000, 600), (2000, 100), (4000, 50))
_RESERVED_CPU_BEYOND = 25
"""CPU that EKS images reserve, as pairs. The first value is a bound in thousandths of a core; the second is
the reserved share of the CPU up to that bound, in ten-thousandths
(`awslabs/amazon-eks-ami:nodeadm/internal/kubelet/config.go`)."""

HUGE_PAGES_MIB = 5128 * 2
"""Huge pages that the EFA software reserves on a node
(https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machines:
    """A compute group as jobs see it: `node` is the maximum capacity of one of its `count` nodes.

    `count` does not include the `spare` nodes, which queues leave free. `taints` are those of the profile;
    only jobs that tolerate them run on these nodes.
    """

    name: str
    count: int
    node: Amounts = field(hash=False)
    levels: Levels
    topology: str
    efa: int
    taints: tuple[Taint, ...] = ()
    spare: int = 0

    @property
    def everything(self) -> dict[str, int]:
        """Total capacity of all nodes of the group."""
        return times(self.node, self.count)

    @property
    def gpus(self) -> int:
        """Number of GPUs of a node."""
        return self.node[GPU]


def machines_of(
    groups: tuple[GroupPlan, ...], scheduling: Scheduling, *, hyperpod: bool
) -> tuple[Machines, ...]:
    """Return the compute groups with nodes; groups without GPUs are first, so that CPU jobs use them."""
    found = [
        _machines(group, scheduling, hyperpod=hyperpod)
        for group in groups
        if group.role == "compute" and group.usable
    ]
    return tuple(sorted(found, key=lambda machines: (machines.gpus > 0, machines.name)))


def _machines(group: GroupPlan, scheduling: Scheduling, *, hyperpod: bool) -> Machines:
    kinds = [one.instance_type for one in group.as_each_type]
    depths = {(kind.family, levels_of(kind, scheduling, hyperpod=hyperpod)) for kind in kinds}
    levels: Levels = (HOST,) if len(depths) > 1 else depths.pop()[1]
    nodes = [_node(one, hyperpod=hyperpod) for one in group.as_each_type]
    return Machines(
        name=group.name,
        count=group.usable,
        node={name: max(node[name] for node in nodes) for name in nodes[0]},
        levels=levels,
        topology=topology_name(group.instance_type, levels),
        efa=_efa_for_jobs(group),
        taints=hard(group.taints),
        spare=group.spare,
    )


def _node(group: GroupPlan, *, hyperpod: bool) -> dict[str, int]:
    """Return the maximum capacity of a node, so that quotas never delay a job that the nodes can run.

    The kernel uses some more memory. Topology-aware schedulers also check the nodes themselves.
    """
    instance = group.instance_type
    cpu = 1000 * instance.cores * (group.threads_per_core or instance.threads_per_core)
    pods = group.pods_per_node or instance.max_pods or _PODS
    memory = int(instance.memory_gib * 1024)
    huge = HUGE_PAGES_MIB if group.efa_per_node else 0
    if not hyperpod:  # AWS does not document the kubelet reservations of HyperPod nodes
        cpu -= reserved_cpu(cpu)
        memory -= _RESERVED_MIB + _RESERVED_MIB_PER_POD * pods + _EVICTION_MIB
    return {
        CPU: cpu,
        MEMORY: memory - huge,
        GPU: instance.gpu.count if instance.gpu else 0,
        EFA: group.efa_per_node,
        HUGEPAGES: huge,
        PODS: pods,
        IMEX: 1 if instance.ultraserver_only else 0,
    }


def reserved_cpu(cpu: int) -> int:
    """Return the CPU that EKS images reserve; the result and `cpu` are in thousandths of a core."""
    kept, start = 0, 0
    for end, rate in (*_RESERVED_CPU, (cpu, _RESERVED_CPU_BEYOND)):
        if cpu > start:
            kept += (min(cpu, end) - start) * rate // 10_000
        start = end
    return kept


def _efa_for_jobs(group: GroupPlan) -> int:
    """Return the EFA interfaces that a job can request on a node, from the design or AWS's default layout.

    HyperPod configures the interfaces itself; each of the 16 cards of p6e-gb200 then has 4 interfaces of 400
    Gbps.
    """
    usual = group.instance_type.layouts.get("ip-saving")
    if group.layout is not None or usual is None:
        return group.efa_per_node
    return min(group.efa_per_node, usual.efa_count)
