"""Volcano: queues with the teams' shares, and network domains from node labels."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from config.design.kubernetes.scheduler.amounts import (
    CPU,
    DEVICE_CLASSES,
    EFA,
    GPU,
    HUGEPAGES,
    MEMORY,
    Amounts,
    counts_claims,
    quantities,
    total,
)
from config.design.kubernetes.scheduler.labels import HOST
from config.design.kubernetes.scheduler.nodes import Machines
from config.design.kubernetes.scheduler.placement import Placement
from config.design.kubernetes.scheduler.priorities import priority_classes
from config.design.kubernetes.scheduler.shares import Quota, Shares, TeamPlan
from config.design.kubernetes.scheduler.topology import Levels
from config.design.kubernetes.steps import Object
from config.profile.kubernetes.scheduler import Preemption, Scheduling

NETWORK = "network"
"""Name of the network topology. Volcano ignores names of more than 20 characters."""

_COUNTED = (CPU, MEMORY, GPU, EFA, HUGEPAGES)
_WEIGHT = 10
_WEIGHT_OF_GPUS = 10


def volcano_values(
    shares: Shares, scheduling: Scheduling, placement: Placement, kubernetes_version: str
) -> dict[str, Any]:
    """Return the values of the release.

    The chart expects the scheduler's configuration as text (JSON, which is also YAML), and the controller's
    as a mapping. Text for the controller would become a quoted string in its configuration, so that no domain
    is discovered (volcano-sh/volcano:installer/helm/chart/volcano/templates/controller_configmap.yaml).
    """
    levels, claims = common_levels(shares.machines), counts_claims(kubernetes_version)
    return {
        "custom": {
            "scheduler_config_override": json.dumps(
                _scheduler(scheduling.preemption, claims=claims), indent=2
            ),
            "controller_config_override": {"networkTopologyDiscovery": _discovery(levels)},
            "scheduler_feature_gates": f"DynamicResourceAllocation={str(claims).lower()}",
            "default_tolerations": placement.tolerations,
            "default_ns": placement.node_selector or None,
            "scheduler_replicas": placement.replicas,
            "controller_replicas": placement.replicas,
            "admission_replicas": placement.replicas,
            "leader_elect_enable": placement.replicas > 1,
        }
    }


def common_levels(machines: Sequence[Machines]) -> Levels:
    """Return the network levels that all groups with network layers share.

    Volcano has one domain for each value of a label. If layer 3 is the lowest level of one family and is
    above layer 4 in another, one domain would contain both nodes and domains
    (`volcano-sh/volcano:pkg/controllers/hypernode/discovery/label/label.go`).
    """
    networks = [one.levels for one in machines if len(one.levels) > 1]
    if not networks:
        return (HOST,)
    return tuple(label for label in max(networks, key=len) if all(label in levels for levels in networks))


def _discovery(levels: Levels) -> list[dict[str, Any]]:
    if levels == (HOST,):
        return []
    labels = [{"nodeLabel": label} for label in levels]
    return [{"source": "label", "enabled": True, "config": {"networkTopologyTypes": {NETWORK: labels}}}]


def _scheduler(preemption: Preemption, *, claims: bool) -> dict[str, Any]:
    """Return the scheduler's plugins: gangs, then shares and topology.

    `capacity` and `proportion` exclude each other.
    """
    preempt = ["preempt"] if preemption.within_team != "never" else []
    reclaim = ["reclaim"] if preemption.reclaim != "never" else []
    of_gpus = {
        "binpack.weight": _WEIGHT,
        "binpack.resources": GPU,
        f"binpack.resources.{GPU}": _WEIGHT_OF_GPUS,
    }
    of_domains = {
        "weight": _WEIGHT,
        "hypernode.binpack.resources": GPU,
        f"hypernode.binpack.resources.{GPU}": _WEIGHT_OF_GPUS,
    }
    return {
        "actions": ", ".join(["enqueue", "allocate", *preempt, *reclaim, "backfill"]),
        "tiers": [
            {
                "plugins": [
                    {"name": "priority"},
                    {"name": "gang", "enablePreemptable": False},
                    {"name": "conformance"},
                ]
            },
            {
                "plugins": [
                    {"name": "drf", "enablePreemptable": False},
                    {
                        "name": "predicates",
                        "arguments": {"predicate.DynamicResourceAllocationEnable": claims},
                    },
                    {"name": "capacity"},
                    {"name": "nodeorder"},
                    {"name": "binpack", "arguments": of_gpus},
                    {"name": "network-topology-aware", "arguments": of_domains},
                ]
            },
        ],
    }


def volcano_objects(shares: Shares, scheduling: Scheduling, kubernetes_version: str) -> tuple[Object, ...]:
    """Return the queues of all teams and the priorities of jobs."""
    claims = counts_claims(kubernetes_version)
    return (*(_queue(team, claims=claims) for team in shares.teams), *priority_classes(scheduling))


def _queue(team: TeamPlan, *, claims: bool) -> Object:
    own = _of_all(quota.own for quota in team.quotas)
    spec: dict[str, Any] = {"reclaimable": True, "deserved": _counted(own, claims=claims)}
    if most := _most(team.quotas):
        spec["capability"] = _counted(most, claims=claims)
    elif any(quota.machines.spare for quota in team.quotas):
        spec["capability"] = _counted(own, claims=claims)
    if any(quota.lend is not None for quota in team.quotas):
        spec["guarantee"] = {
            "resource": _counted(_of_all(_kept(quota) for quota in team.quotas), claims=claims)
        }
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": {"name": team.name},
        "spec": spec,
    }


def _counted(amounts: Amounts, *, claims: bool) -> dict[str, str]:
    # Volcano's names of claimed devices (volcano-sh/volcano:docs/user-guide/how_to_use_dra_quota.md)
    found = quantities({name: amounts[name] for name in _COUNTED})
    classes = {f"deviceclass/{DEVICE_CLASSES[name]}": str(amounts[name]) for name in (GPU, EFA)}
    return found | classes if claims else found


def _most(quotas: Sequence[Quota]) -> dict[str, int]:
    """Return the limit of a team; empty if the team can borrow without a limit in any group."""
    bounds = [quota.borrow for quota in quotas]
    if not bounds or None in bounds:
        return {}
    return _of_all([*(quota.own for quota in quotas), *(bound for bound in bounds if bound is not None)])


def _kept(quota: Quota) -> dict[str, int]:
    """Return the part of a share that other teams cannot borrow."""
    if quota.lend is None:
        return dict.fromkeys(quota.own, 0)
    return {name: value - quota.lend[name] for name, value in quota.own.items()}


def _of_all(several: Iterator[Amounts] | Sequence[Amounts]) -> dict[str, int]:
    summed = total(several)
    return {name: summed.get(name, 0) for name in _COUNTED}
