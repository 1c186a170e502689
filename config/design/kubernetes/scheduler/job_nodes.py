"""Nodes of a job, and the resource requests of a pod that uses a whole node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from config.design.capacity.groups import GroupPlan
from config.design.kubernetes.devices import group_devices
from config.design.kubernetes.scheduler.amounts import (
    CPU,
    DEVICE_CLASSES,
    EFA,
    GPU,
    HUGEPAGES,
    IMEX,
    MEMORY,
    quantity,
)
from config.design.kubernetes.scheduler.job_user import JobUser, as_user, environment_of, home_maker
from config.design.kubernetes.scheduler.labels import GPU_TOLERATION, GROUP_LABEL
from config.design.kubernetes.scheduler.nodes import Machines
from config.design.kubernetes.scheduler.part import is_governed, shares_of
from config.design.kubernetes.scheduler.shares import TeamPlan
from config.design.kubernetes.steps import Object
from config.design.kubernetes.taints import tolerations
from config.profile.orchestrator import Eks, HyperPodEks

HUGE_PAGES_MIB = 5120
"""Huge pages of a job on a node: half of the pages that EFA reserves, as in AWS's own jobs
(https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html)."""

_TENTHS = 9
_CHANNEL = "channel"
_DEVICES = "devices"


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A job's image and the command of each node.

    `team` is None for the first team, `nodes` is None for all nodes of the group. `volumes` are claims of the
    team's namespace with their mount paths. `user` sets the job's UID and GIDs; None for those of the image.
    """

    name: str = "whole-cluster"
    image: str
    command: tuple[str, ...]
    team: str | None = None
    nodes: int | None = None
    volumes: tuple[tuple[str, str], ...] = ()
    user: JobUser | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobNodes:
    """Nodes and team of a job.

    `claimed` are the resources that pods request by claims (dynamic resource allocation) instead of a number.
    `domain` is True if pods reach GPUs of other nodes over NVLink. `tolerated` are the tolerations for the
    group's own taints.
    """

    machines: Machines
    team: TeamPlan
    claimed: frozenset[str]
    domain: bool
    tolerated: tuple[Mapping[str, str], ...] = field(default=(), hash=False)

    @property
    def closest(self) -> str | None:
        """Label of the smallest topology level with several nodes; None if the topology has only nodes."""
        levels = self.machines.levels
        return levels[-2] if len(levels) > 1 else None


def job_nodes(
    orchestrator: Eks | HyperPodEks,
    groups: tuple[GroupPlan, ...],
    group: str | None,
    *,
    team: str | None = None,
    count: int | None = None,
) -> JobNodes:
    """Return the nodes of a compute group for a team.

    By default, the job runs for the first team, on all nodes of the group with the most GPUs. Raises
    LookupError if the group or team does not exist, if the group has too few nodes, or if task governance
    creates the queues.
    """
    if is_governed(orchestrator):
        raise LookupError("task governance creates the queues of this cluster")
    shares = shares_of(orchestrator, groups)
    by_size = sorted(shares.machines, key=lambda one: (-one.count * one.gpus, one.name))
    machines = next((one for one in by_size if group in (None, one.name)), None)
    if machines is None:
        raise LookupError(f"there is no compute group {group}" if group else "no compute group has nodes")
    if count is not None and not 0 < count <= machines.count:
        raise LookupError(f"{count} nodes are not available: group {machines.name} has {machines.count}")
    owner = next((one for one in shares.teams if team in (None, one.name)), None)
    if owner is None:
        raise LookupError(
            f"there is no team {team}: the teams are {', '.join(one.name for one in shares.teams)}"
        )
    owners = next((one for one in group_devices(orchestrator, groups) if one.group == machines.name), None)
    by_owner = ((GPU, owners.gpu), (EFA, owners.efa)) if owners else ()
    return JobNodes(
        machines=replace(machines, count=count or machines.count),
        team=owner,
        claimed=frozenset(name for name, owner in by_owner if owner == "dra"),
        domain=bool(owners and owners.compute_domains),
        tolerated=tolerations(taint for one in groups if one.name == machines.name for taint in one.taints),
    )


def whole_node(nodes: JobNodes) -> dict[str, dict[str, str]]:
    """Return the resource requests of a pod that uses a whole node: GPUs, EFA interfaces, huge pages.

    A subset of a node's GPUs without their interfaces breaks NCCL's topology detection (failure report
    EKS-27). A tenth of the cores and memory is left to the system.
    """
    node, efa = nodes.machines.node, nodes.machines.efa
    asked = {
        CPU: node[CPU] * _TENTHS // 10_000 * 1000,
        MEMORY: node[MEMORY] * _TENTHS // 10,
        GPU: node[GPU],
        EFA: efa,
        # AWS's jobs for p6e-gb200 request none (awsome-distributed-ai: nccl-tests-gb200.yaml)
        HUGEPAGES: HUGE_PAGES_MIB if efa and not node[IMEX] else 0,
    }
    amounts = {
        name: quantity(name, value) for name, value in asked.items() if value and name not in nodes.claimed
    }
    return {"requests": amounts, "limits": {name: value for name, value in amounts.items() if name != CPU}}


def pod(nodes: JobNodes, work: Work) -> dict[str, Any]:
    """Return the pod of one node."""
    claims = [_CHANNEL] * nodes.domain + [_DEVICES] * bool(nodes.claimed)
    claimed = {"claims": [{"name": name} for name in claims]} if claims else {}
    named = [{"name": name, "resourceClaimTemplateName": f"{work.name}-{name}"} for name in claims]
    return {
        "restartPolicy": "Never",
        "nodeSelector": {GROUP_LABEL: nodes.machines.name},
        "tolerations": [*([GPU_TOLERATION] if nodes.machines.gpus else []), *nodes.tolerated],
        **as_user(work.user),
        **home_maker(work.user, work.image),
        "containers": [
            {
                "name": "main",
                "image": work.image,
                "command": list(work.command),
                **environment_of(work.user),
                "resources": {**whole_node(nodes), **claimed},
                "volumeMounts": [
                    {"name": "shm", "mountPath": "/dev/shm"},
                    *({"name": name, "mountPath": path} for name, path in work.volumes),
                ],
            }
        ],
        "volumes": [
            {"name": "shm", "emptyDir": {"medium": "Memory"}},
            *({"name": name, "persistentVolumeClaim": {"claimName": name}} for name, _ in work.volumes),
        ],
        **({"resourceClaims": named} if named else {}),
    }


def beside(nodes: JobNodes, work: Work) -> Iterator[Object]:
    """Return the objects that a job needs first: its NVLink domain, and the claim for one node's devices."""
    if nodes.domain:
        channel = {"resourceClaimTemplate": {"name": f"{work.name}-{_CHANNEL}"}}
        yield {
            "apiVersion": "resource.nvidia.com/v1beta1",
            "kind": "ComputeDomain",
            "metadata": {"name": work.name, "namespace": nodes.team.namespace},
            "spec": {"numNodes": nodes.machines.count, "channel": channel},
        }
    if nodes.claimed:
        yield {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaimTemplate",
            "metadata": {"name": f"{work.name}-{_DEVICES}", "namespace": nodes.team.namespace},
            "spec": {"spec": {"devices": {"requests": list(_requests(nodes))}}},
        }


def _requests(nodes: JobNodes) -> Iterator[dict[str, Any]]:
    # an exact count, because Kueue does not support `All` (`kubernetes-sigs/kueue:pkg/dra/claims.go`)
    for name, number in ((GPU, nodes.machines.gpus), (EFA, nodes.machines.efa)):
        if name in nodes.claimed and number:
            yield {
                "name": name.rpartition("/")[2],
                "exactly": {
                    "deviceClassName": DEVICE_CLASSES[name],
                    "allocationMode": "ExactCount",
                    "count": number,
                },
            }
