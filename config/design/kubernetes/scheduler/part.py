"""The scheduler's part of a cluster: its chart, then the queues and topologies of the profile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from config.design.capacity.groups import GroupPlan
from config.design.kubernetes.model import Part
from config.design.kubernetes.scheduler.kai import KAI, kai_objects, kai_ready, kai_values
from config.design.kubernetes.scheduler.kueue import kueue_objects
from config.design.kubernetes.scheduler.kueue_values import kueue_values
from config.design.kubernetes.scheduler.nodes import machines_of
from config.design.kubernetes.scheduler.placement import Placement, placement_of
from config.design.kubernetes.scheduler.shares import Shares, namespaces_of, plan_shares
from config.design.kubernetes.scheduler.volcano import volcano_objects, volcano_values
from config.design.kubernetes.steps import HYPERPOD, NODES, Manifest, Object, Release, Wait
from config.profile.kubernetes.base import Kubernetes
from config.profile.kubernetes.hyperpod_eks import HyperPodEks

NAMESPACES = "namespaces"
"""Name of the step that creates the namespaces of jobs."""

_STAGES = ("topologies", "flavors", "queues", "team-queues")
"""Steps after the release. Each step names objects of the step before it, so the later step is deleted first.

Kueue prevents the deletion of topologies and flavors that are in use. KAI admits no job to a queue without
its parent.
"""

_BY_KIND = {
    "ResourceFlavor": "flavors",
    "Cohort": "queues",
    "ClusterQueue": "queues",
    "Queue": "queues",
    "LocalQueue": "team-queues",
}
"""The stage of each kind of objects; kinds that are not listed belong to the first stage."""


def is_governed(orchestrator: Kubernetes) -> bool:
    """Return whether HyperPod's task governance installs Kueue and creates its queues from compute quotas."""
    return isinstance(orchestrator, HyperPodEks) and orchestrator.task_governance is not None


def part(orchestrator: Kubernetes, groups: tuple[GroupPlan, ...]) -> Part:
    """Return the scheduler's steps in order: job namespaces, release, then queues and their objects.

    With HyperPod's task governance there are no steps.
    """
    if is_governed(orchestrator):
        return Part()
    shares = shares_of(orchestrator, groups)
    namespaces = tuple(_namespace(name) for name in namespaces_of(orchestrator.scheduling))
    release, objects = _of_scheduler(orchestrator, shares, placement_of(groups))
    ready: tuple[Wait, ...] = (kai_ready(release.name),) if release.chart == KAI else ()
    before = ready[0].name if ready else release.name
    return Part(
        steps=(Manifest(name=NAMESPACES, objects=namespaces), release, *ready, *_staged(objects, before)),
    )


def _staged(objects: tuple[Object, ...], before: str) -> Iterator[Manifest]:
    """Yield one step for each stage, in order; the last stage also waits for the namespaces."""
    for stage in _STAGES:
        found = tuple(one for one in objects if _stage_of(one) == stage)
        if found:
            last = stage == _STAGES[-1]
            yield Manifest(name=stage, objects=found, after=(before, NAMESPACES) if last else (before,))
            before = stage


def _stage_of(one: Object) -> str:
    if "parentQueue" in one.get("spec", {}):
        return "team-queues"
    return _BY_KIND.get(one["kind"], "topologies")


def shares_of(orchestrator: Kubernetes, groups: tuple[GroupPlan, ...]) -> Shares:
    """Return each team's share of the capacity."""
    hyperpod = isinstance(orchestrator, HyperPodEks)
    machines = machines_of(groups, orchestrator.scheduling, hyperpod=hyperpod)
    return plan_shares(machines, orchestrator.scheduling)


def _of_scheduler(
    orchestrator: Kubernetes, shares: Shares, placement: Placement
) -> tuple[Release, tuple[Object, ...]]:
    scheduling, version = orchestrator.scheduling, orchestrator.kubernetes_version
    if orchestrator.scheduler == "volcano":
        values = volcano_values(shares, scheduling, placement, version)
        return _release("volcano", "volcano-system", values), volcano_objects(shares, scheduling, version)
    if orchestrator.scheduler == "kai":
        release = _release(KAI, KAI, kai_values(placement))
        return release, kai_objects(shares, scheduling)
    values = kueue_values(shares, scheduling.kueue, placement, version)
    return _release("kueue", "kueue-system", values), kueue_objects(shares, scheduling)


def _release(name: str, namespace: str, values: Mapping[str, Any]) -> Release:
    # after the nodes: on deletion, Kueue then still runs to remove the finalizers of its objects
    return Release(name=name, chart=name, namespace=namespace, values=values, after=(NODES, HYPERPOD))


def _namespace(name: str) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
