"""KAI scheduler: a parent queue with the teams' queues, topologies and a scheduling shard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from config.design.kubernetes.scheduler.amounts import CPU, GPU, MEMORY, Amounts, total
from config.design.kubernetes.scheduler.placement import Placement
from config.design.kubernetes.scheduler.priorities import priority_classes
from config.design.kubernetes.scheduler.shares import Quota, Shares, TeamPlan
from config.design.kubernetes.steps import Object, Wait
from config.profile.kubernetes.scheduler import Scheduling

KAI = "kai-scheduler"
"""Name of the chart, its release and its namespace."""

PARENT = "cluster"
NO_BOUND = -1
NOT_PREEMPTED_FROM = 100
"""Jobs of this or a higher priority are never preempted, and use at most their team's share
(kai-scheduler/KAI-Scheduler:docs/priority/README.md)."""

CHART_PRIORITIES = ("build", "build-preemptible", "inference", "train")
"""Priorities that KAI's chart creates."""

_MIB = 2**20
_MB = 10**6


def kai_values(placement: Placement) -> dict[str, Any]:
    """Return the values of the release; the profile, not the chart, defines the queues and the shard."""
    return {
        "global": {
            "nodeSelector": placement.node_selector,
            "tolerations": placement.tolerations,
            "leaderElection": placement.replicas > 1,
        },
        "operator": {"replicaCount": placement.replicas},
        "scheduler": {"placementStrategy": "binpack"},
        "defaultShard": {"enabled": False},
        "defaultQueue": {"createDefaultQueue": False},
        "topologyMigration": {"enabled": False},
    }


def kai_ready(release: str) -> Wait:
    """Return the step that waits for the queue webhook; queues are rejected until the webhook responds.

    KAI's operator installs the webhook only after Helm has waited for the chart's own pods and has configured
    the operator (`kai-scheduler/KAI-Scheduler:pkg/operator/operands/queue_controller/resources.go`).
    """
    return Wait(
        name="kai-queue-webhook",
        kind="deployment",
        object_name="queue-controller",
        namespace=KAI,
        path=".status.availableReplicas",
        after=(release,),
    )


def kai_objects(shares: Shares, scheduling: Scheduling) -> tuple[Object, ...]:
    """Return all objects that follow KAI's release; parent queues are first."""
    priorities = priority_classes(scheduling) if scheduling.priorities is not None else ()
    return (
        *_topologies(shares),
        _shard(scheduling),
        _parent(shares),
        *(_queue(team) for team in shares.teams),
        *priorities,
    )


def _topologies(shares: Shares) -> Iterator[Object]:
    for name, levels in sorted({one.topology: one.levels for one in shares.machines}.items()):
        yield {
            "apiVersion": "kai.scheduler/v1alpha1",
            "kind": "Topology",
            "metadata": {"name": name},
            "spec": {"levels": [{"nodeLabel": label} for label in levels]},
        }


def _shard(scheduling: Scheduling) -> Object:
    """Return the shard of all nodes, which packs pods so that whole nodes remain free."""
    settings, preemption = scheduling.kai, scheduling.preemption
    return {
        "apiVersion": "kai.scheduler/v1",
        "kind": "SchedulingShard",
        "metadata": {"name": "default"},
        "spec": {
            "partitionLabelValue": "",
            "placementStrategy": {"gpu": "binpack", "cpu": "binpack"},
            "minRuntime": {
                "preemptMinRuntime": f"{settings.preempt_after_minutes}m",
                "reclaimMinRuntime": f"{settings.reclaim_after_minutes}m",
            },
            "actions": {
                "preempt": {"enabled": preemption.within_team != "never"},
                "reclaim": {"enabled": preemption.reclaim != "never"},
            },
        },
    }


def _parent(shares: Shares) -> Object:
    everything = total(machines.everything for machines in shares.machines)
    # without spare nodes, the capacity itself is the limit
    spare = any(machines.spare for machines in shares.machines)
    resources = {
        name: _resource(amount, amount if spare else NO_BOUND, 1)
        for name, amount in _figures(everything).items()
    }
    return _object(PARENT, {"displayName": PARENT, "resources": resources})


def _queue(team: TeamPlan) -> Object:
    own = _figures(total(quota.own for quota in team.quotas))
    most = _most(team.quotas)
    resources = {
        name: _resource(amount, most.get(name, NO_BOUND), team.weight) for name, amount in own.items()
    }
    return _object(team.name, {"displayName": team.name, "parentQueue": PARENT, "resources": resources})


def _most(quotas: Sequence[Quota]) -> dict[str, int]:
    bounds = [quota.borrow for quota in quotas if quota.borrow is not None]
    if not quotas or len(bounds) < len(quotas):
        return {}
    return _figures(total([*(quota.own for quota in quotas), *bounds]))


def _figures(amounts: Amounts) -> dict[str, int]:
    """Return amounts in KAI's units (docs/queues/README.md): GPUs, thousandths of a core, decimal MB."""
    return {
        "gpu": amounts.get(GPU, 0),
        "cpu": amounts.get(CPU, 0),
        "memory": amounts.get(MEMORY, 0) * _MIB // _MB,
    }


def _resource(quota: int, limit: int, weight: int) -> dict[str, int]:
    return {"quota": quota, "limit": limit, "overQuotaWeight": weight}


def _object(name: str, spec: dict[str, Any]) -> Object:
    return {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": name}, "spec": spec}
