"""Metrics of a cluster: its exporters, and the expected devices of its GPU nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from config.design.capacity.groups import GroupPlan, node_interfaces
from config.design.capacity.prices import listed_price
from config.design.collector import collector_of
from config.design.nodes.storage import scripts_run
from config.design.observability.collection.slurm import slurm_metrics
from config.design.observability.model import GpuNodes, Measured
from config.design.workload.checkpoint_plan import CheckpointPlan
from config.profile.capacity.groups import Group
from config.profile.kubernetes.base import Kubernetes
from config.profile.model import Profile
from config.profile.observability.metrics import Collection
from config.profile.orchestrator import HyperPodSlurm
from config.profile.slurm.pcs import Pcs


def measured(
    profile: Profile,
    groups: Sequence[GroupPlan],
    *,
    lustre: bool,
    checkpoints: CheckpointPlan | None = None,
) -> Measured:
    """Return the metrics of a cluster of these groups; `lustre`: the cluster has FSx for Lustre."""
    declared = profile.observability.collection if profile.observability else Collection()
    workload, elastic = profile.workload, _elastic(profile)
    intervals = checkpoints.intervals if checkpoints else None
    declared_s = workload.checkpoint_interval_s if workload else None
    return Measured(
        cluster=profile.name,
        control_plane=profile.orchestrator.kind if profile.orchestrator else "",
        exporters=frozenset(_exporters(profile, groups, lustre=lustre)),
        gpu_nodes=gpu_nodes(profile, groups),
        profiling=declared.profiling,
        scripts=scripts_run(profile),
        interval_s=declared.interval_s,
        checkpoint_interval_s=intervals.interval_s if intervals else declared_s,
        elastic=elastic,
        steady=any(group.count and group.name not in elastic for group in groups),
    )


def _elastic(profile: Profile) -> tuple[str, ...]:
    """Return the PCS groups with `scaling: dynamic`, whose nodes run only while jobs need them."""
    if profile.compute is None or not isinstance(profile.orchestrator, Pcs):
        return ()
    return tuple(sorted(group.name for group in profile.compute.groups if group.scaling == "dynamic"))


def _exporters(profile: Profile, groups: Sequence[GroupPlan], *, lustre: bool) -> Iterator[str]:
    kubernetes = isinstance(profile.orchestrator, Kubernetes)
    # with Slurm, our node scripts install the exporters
    if collector_of(profile) == "none" or not (kubernetes or scripts_run(profile)):
        return
    yield from ("agent", "application", "node")
    if any(instance.is_gpu for group in groups for instance in group.types):
        yield "dcgm"
    yield from _of_kubernetes(profile) if kubernetes else _of_slurm(profile, groups)
    if lustre and (kubernetes or isinstance(profile.orchestrator, HyperPodSlurm) or _logins(groups)):
        yield "fsx"


def _of_kubernetes(profile: Profile) -> Iterator[str]:
    # import the Kubernetes design only for Kubernetes clusters
    from config.design.kubernetes.scheduler.part import is_governed

    yield "kube-state"
    plane = profile.orchestrator
    if isinstance(plane, Kubernetes) and plane.scheduler == "kueue" and not is_governed(plane):
        yield "kueue"


def _of_slurm(profile: Profile, groups: Sequence[GroupPlan]) -> Iterator[str]:
    plane = profile.orchestrator
    if isinstance(plane, Pcs):
        # PCS runs the controller, so a login node scrapes the controller
        if _logins(groups):
            yield slurm_metrics(profile)
    else:
        yield "slurm-exporter"


def _logins(groups: Sequence[GroupPlan]) -> bool:
    return any(group.role == "login" and group.count for group in groups)


def gpu_nodes(profile: Profile, groups: Sequence[GroupPlan]) -> tuple[GpuNodes, ...]:
    """Return the GPU nodes of each type, with the lowest number of EFA interfaces in any of its groups."""
    declared = {group.name: group for group in profile.compute.groups} if profile.compute else {}
    found: dict[str, GpuNodes] = {}
    for group in groups:
        for variant in group.as_each_type:
            nodes = _nodes(profile, variant, declared.get(group.name), own=variant is group)
            if nodes is not None:
                known = found.get(nodes.instance_type)
                found[nodes.instance_type] = nodes if known is None else _fewer(known, nodes)
    return tuple(found[name] for name in sorted(found))


def _nodes(profile: Profile, group: GroupPlan, declared: Group | None, *, own: bool) -> GpuNodes | None:
    instance = group.instance_type
    if instance.gpu is None:
        return None
    efa = group.efa_per_node
    if not own and declared is not None:
        efa = node_interfaces(declared, instance, profile.orchestrator).efa
    listed = listed_price(profile.region, group)
    return GpuNodes(
        instance_type=instance.name,
        architecture=instance.gpu.gpu.architecture,
        gpus=instance.gpu.count,
        efa_devices=efa,
        dollars_per_gpu_hour=listed[1] / instance.gpu.count if listed else None,
    )


def _fewer(one: GpuNodes, other: GpuNodes) -> GpuNodes:
    return min(one, other, key=lambda nodes: nodes.efa_devices)
