"""The slurm.conf of a control plane for a profile: nodes, partitions, GPUs and settings.

HyperPod and PCS write their own file and do not accept this one. It describes the expected configuration, so
that the tests can load it into a real slurmctld.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from config.design.capacity.groups import GroupPlan
from config.design.slurm.defaults import EPILOG, NO_HOLD, PROLOG
from config.design.slurm.pcs import PcsPlan
from config.design.slurm.topology_files import TopologyFile
from config.profile.model import Profile
from config.profile.orchestrator import HyperPodSlurm

SCHEDULABLE_MEMORY = 0.95
"""Share of an instance's memory for jobs: the default of ParallelCluster
(https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html). HyperPod and PCS do not publish
theirs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeLine:
    """Equal nodes with the names NAME-1, NAME-2 and so on."""

    name: str
    count: int
    cores: int
    threads_per_core: int
    memory_mib: int
    gpus: int
    settings: Mapping[str, str] = field(hash=False)

    @property
    def names(self) -> str:
        """The names as a Slurm hostlist."""
        return f"{self.name}-1" if self.count == 1 else f"{self.name}-[1-{self.count}]"

    @property
    def each(self) -> tuple[str, ...]:
        """The names of the nodes."""
        return tuple(f"{self.name}-{number}" for number in range(1, self.count + 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionLine:
    """A partition and its nodes."""

    name: str
    nodes: str
    settings: Mapping[str, str] = field(hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlurmConf:
    """Parts of a service's slurm.conf that depend on the profile."""

    cluster_name: str
    slurm_version: str
    settings: Mapping[str, str] = field(hash=False)
    nodes: tuple[NodeLine, ...]
    partitions: tuple[PartitionLine, ...]

    @property
    def each_node(self) -> tuple[str, ...]:
        """The names of all compute nodes."""
        return tuple(name for line in self.nodes for name in line.each)


def plan_slurm_conf(profile: Profile, groups: tuple[GroupPlan, ...], pcs: PcsPlan | None) -> SlurmConf | None:
    """Return the configuration of a profile with HyperPod or PCS, None with another control plane."""
    if isinstance(profile.orchestrator, HyperPodSlurm):
        return _of_hyperpod(profile, groups)
    return _of_pcs(profile, pcs) if pcs is not None else None


_HYPERPOD_VERSION = "24.11"
"""HyperPod does not document its version; its 24.x images write topology.conf, newer ones topology.yaml."""


def _of_hyperpod(profile: Profile, groups: tuple[GroupPlan, ...]) -> SlurmConf:
    """Login nodes run slurmd; the default partition `dev` has all nodes (sagemaker-hyperpod-ref.html)."""
    working = [group for group in groups if group.role in ("compute", "login")]
    lines = tuple(_nodes(group, group.name, {}) for group in working)
    own = [(group.partition, line) for group, line in zip(working, lines, strict=True) if group.partition]
    return SlurmConf(
        cluster_name=profile.name,
        slurm_version=_HYPERPOD_VERSION,
        settings=_base(lines) | {"Prolog": PROLOG, "Epilog": EPILOG, "SchedulerParameters": NO_HOLD},
        nodes=lines,
        partitions=(
            PartitionLine(name="dev", nodes="ALL", settings={"Default": "YES"}),
            *_partitions(own),
        ),
    )


def _of_pcs(profile: Profile, pcs: PcsPlan) -> SlurmConf:
    """Each queue is a partition; login nodes have no queue and run no jobs."""
    working = {name for queue in pcs.queues for name in queue.groups}
    plans = [plan for plan in pcs.groups if plan.group.name in working]
    lines = {plan.group.name: _nodes(plan.group, plan.name, plan.settings) for plan in plans}
    base = _base(tuple(lines.values()))
    return SlurmConf(
        cluster_name=profile.name,
        slurm_version=pcs.slurm_version,
        settings={**base, **pcs.settings},
        nodes=tuple(lines.values()),
        partitions=tuple(
            PartitionLine(
                name=queue.name,
                nodes=",".join(lines[name].names for name in queue.groups if name in lines),
                settings=queue.settings,
            )
            for queue in pcs.queues
        ),
    )


def _base(lines: tuple[NodeLine, ...]) -> dict[str, str]:
    """Only select/cons_tres schedules GPUs, and only if GresTypes lists them."""
    gpus = {"GresTypes": "gpu"} if any(line.gpus for line in lines) else {}
    return {"SelectType": "select/cons_tres", **gpus}


def _partitions(own: list[tuple[str, NodeLine]]) -> list[PartitionLine]:
    members: dict[str, list[str]] = {}
    for partition, line in own:
        members.setdefault(partition, []).append(line.names)
    return [
        PartitionLine(name=name, nodes=",".join(sorted(nodes)), settings={})
        for name, nodes in sorted(members.items())
    ]


def _nodes(group: GroupPlan, name: str, settings: Mapping[str, str]) -> NodeLine:
    machine = group.instance_type
    return NodeLine(
        name=name,
        count=group.count,
        cores=machine.cores,
        threads_per_core=group.threads_per_core or machine.threads_per_core,
        memory_mib=int(machine.memory_gib * 1024 * SCHEDULABLE_MEMORY),
        gpus=machine.gpu.count if machine.gpu else 0,
        settings=settings,
    )


def slurm_conf_text(conf: SlurmConf, topology: TopologyFile | None = None) -> str:
    """Return the lines of slurm.conf, without the ports, folders and keys of the service."""
    plugin = {"TopologyPlugin": topology.plugin} if topology and topology.plugin else {}
    lines = [f"ClusterName={conf.cluster_name}"]
    lines += [f"{name}={value}" for name, value in sorted({**conf.settings, **plugin}.items())]
    lines += [_node_text(line) for line in conf.nodes]
    lines += [_partition_text(line) for line in conf.partitions]
    return "\n".join(lines) + "\n"


def gres_conf_text(conf: SlurmConf, devices: str = "/dev") -> str:
    """Return the lines of gres.conf; `devices` is the folder of the device files, `%n` the node's name."""
    lines = []
    for line in conf.nodes:
        for names in (line.each if "%n" in devices else (line.names,)) if line.gpus else ():
            files = f"nvidia[0-{line.gpus - 1}]" if line.gpus > 1 else "nvidia0"
            lines.append(f"NodeName={names} Name=gpu File={devices.replace('%n', names)}/{files}")
    return "\n".join(lines) + "\n"


def _node_text(line: NodeLine) -> str:
    fields = {
        "CPUs": str(line.cores * line.threads_per_core),
        "CoresPerSocket": str(line.cores),
        "ThreadsPerCore": str(line.threads_per_core),
        "RealMemory": str(line.memory_mib),
        **({"Gres": f"gpu:{line.gpus}"} if line.gpus else {}),
        **line.settings,
    }
    return f"NodeName={line.names} " + " ".join(f"{name}={value}" for name, value in fields.items())


def _partition_text(line: PartitionLine) -> str:
    fields = {"Nodes": line.nodes, **line.settings}
    return f"PartitionName={line.name} " + " ".join(f"{name}={value}" for name, value in fields.items())
