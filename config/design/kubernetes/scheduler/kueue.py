"""Kueue: resource flavors, team queues and topologies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from config.design.kubernetes.scheduler.amounts import COVERED, IMEX, Amounts, quantity
from config.design.kubernetes.scheduler.labels import GPU_TOLERATION, GROUP_LABEL
from config.design.kubernetes.scheduler.nodes import Machines
from config.design.kubernetes.scheduler.priorities import declared_priorities
from config.design.kubernetes.scheduler.shares import Quota, Shares, TeamPlan
from config.design.kubernetes.steps import Object
from config.design.kubernetes.taints import node_taints
from config.profile.kubernetes.scheduler import Preemption, Scheduling

API = "kueue.x-k8s.io/v1beta2"
COHORT = "cluster"
QUEUE = "default"
"""Name of each team's local queue, which is the default queue of jobs in the team's namespace
(kueue.sigs.k8s.io/docs/tasks/manage/enforce_job_management/setup_default_local_queue)."""

_WITHIN = {"lower-priority": "LowerPriority", "never": "Never"}
_RECLAIM = {"any": "Any", "lower-priority": "LowerPriority", "never": "Never"}
_QUEUEING = {"best-effort-fifo": "BestEffortFIFO", "strict-fifo": "StrictFIFO"}


def kueue_objects(shares: Shares, scheduling: Scheduling) -> tuple[Object, ...]:
    """Return all objects that follow Kueue's release, each after the objects that it names."""
    cohort = (_cohort(shares),) if shares.declared else ()
    return (
        *_topologies(shares.machines),
        *(_flavor(machines) for machines in shares.machines),
        *cohort,
        *(_cluster_queue(team, shares, scheduling) for team in shares.teams),
        *(_local_queue(team) for team in shares.teams),
        *_priorities(scheduling),
    )


def covered(machines: Sequence[Machines]) -> tuple[str, ...]:
    """Return the resources that queues count."""
    return (*COVERED, IMEX) if any(one.node[IMEX] for one in machines) else COVERED


def _object(kind: str, name: str, spec: Mapping[str, Any], namespace: str | None = None) -> Object:
    place = {"namespace": namespace} if namespace else {}
    return {"apiVersion": API, "kind": kind, "metadata": {"name": name, **place}, "spec": spec}


def _topologies(machines: Sequence[Machines]) -> Iterator[Object]:
    for name, levels in sorted({one.topology: one.levels for one in machines}.items()):
        yield _object("Topology", name, {"levels": [{"nodeLabel": label} for label in levels]})


def flavor_name(machines: Machines) -> str:
    """Return the flavor's name, which consists of the names of the group and the topology.

    Kueue does not allow a change of a flavor's topology. If a group's instance family changes, a flavor with
    a new name is created, and queues name it before the old flavor is deleted.
    """
    return f"{machines.name}-{machines.topology}"


def _flavor(machines: Machines) -> Object:
    # each flavor has a topology: only then are jobs without a topology request placed on nodes with capacity
    tolerations = {"tolerations": [GPU_TOLERATION]} if machines.gpus else {}
    labels = {"nodeLabels": {GROUP_LABEL: machines.name}}
    # a job that does not tolerate the taints gets another flavor, so that it does not wait for these nodes
    # forever
    taints = {"nodeTaints": node_taints(machines.taints)} if machines.taints else {}
    spec = {**labels, **taints, **tolerations, "topologyName": machines.topology}
    return _object("ResourceFlavor", flavor_name(machines), spec)


def _cohort(shares: Shares) -> Object:
    """Return the capacity outside all shares, which each team can borrow."""
    rest = [{"nominalQuota": amounts} for amounts in shares.rest]
    return _object("Cohort", COHORT, {"resourceGroups": _resource_groups(shares.machines, rest)})


def _resource_groups(
    machines: Sequence[Machines], amounts: Sequence[Mapping[str, Amounts]]
) -> list[dict[str, Any]]:
    """Return a resource group with one flavor for each compute group; empty if no group has nodes.

    Jobs wait if there is no resource group. Kueue rejects a resource group without flavors
    (CustomResourceDefinition of ClusterQueue: `minItems: 1`).
    """
    names = covered(machines)
    flavors = [_flavor_quota(one, names, of_one) for one, of_one in zip(machines, amounts, strict=True)]
    return [{"coveredResources": list(names), "flavors": flavors}] if flavors else []


def _flavor_quota(machines: Machines, names: Sequence[str], amounts: Mapping[str, Amounts]) -> dict[str, Any]:
    return {
        "name": flavor_name(machines),
        "resources": [
            {"name": name, **{key: quantity(name, values[name]) for key, values in amounts.items()}}
            for name in names
        ],
    }


def _cluster_queue(team: TeamPlan, shares: Shares, scheduling: Scheduling) -> Object:
    settings = scheduling.kueue
    bounds = [_bounds(quota) for quota in team.quotas]
    spec: dict[str, Any] = {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": team.namespace}},
        "queueingStrategy": _QUEUEING[settings.queueing],
        "preemption": _preemption(scheduling.preemption, declared=shares.declared),
        "resourceGroups": _resource_groups(shares.machines, bounds),
    }
    if shares.declared:
        spec["cohortName"] = COHORT
    if settings.fair_sharing:
        spec["fairSharing"] = {"weight": str(team.weight)}
    return _object("ClusterQueue", team.name, spec)


def _bounds(quota: Quota) -> dict[str, Amounts]:
    bounds = {"nominalQuota": quota.own}
    if quota.borrow is not None:
        bounds["borrowingLimit"] = quota.borrow
    if quota.lend is not None:
        bounds["lendingLimit"] = quota.lend
    return bounds


def _preemption(preemption: Preemption, *, declared: bool) -> dict[str, str]:
    within = {"withinClusterQueue": _WITHIN[preemption.within_team]}
    return {**within, "reclaimWithinCohort": _RECLAIM[preemption.reclaim]} if declared else within


def _local_queue(team: TeamPlan) -> Object:
    return _object("LocalQueue", QUEUE, {"clusterQueue": team.name}, team.namespace)


def _priorities(scheduling: Scheduling) -> Iterator[Object]:
    for priority in declared_priorities(scheduling):
        yield {
            "apiVersion": API,
            "kind": "WorkloadPriorityClass",
            "metadata": {"name": priority.name},
            "value": priority.value,
        }
