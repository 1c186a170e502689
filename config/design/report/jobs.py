"""The jobs report of a plan, for users who run jobs on a Kubernetes cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from config.design.kubernetes.plan import EksPlan
from config.design.kubernetes.scheduler.amounts import CPU, GPU, Amounts
from config.design.kubernetes.scheduler.job_nodes import job_nodes, whole_node
from config.design.kubernetes.scheduler.nodes import Machines
from config.design.kubernetes.scheduler.part import is_governed, shares_of
from config.design.kubernetes.scheduler.shares import Shares
from config.design.kubernetes.steps import Manifest
from config.design.model import Design
from config.profile.orchestrator import Eks, HyperPodEks


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaReport:
    """Quota of a team in a group, and the nodes that the team can borrow and lend; None means unlimited.

    `team` is None for the rest of the group, which all teams can borrow. Nodes are fractions if GPUs are
    shared.
    """

    team: str | None
    namespace: str | None
    group: str
    nodes: float
    gpus: int
    borrow_nodes: float | None
    lend_nodes: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobGroupReport:
    """The nodes of a group from the view of a job.

    `asks` are the resource requests of a pod that uses a whole node, and `claims` its resource claims
    (dynamic resource allocation). `levels` are the topology labels for placement, from the largest to the
    smallest unit.
    """

    group: str
    nodes: int
    asks: dict[str, str] = field(hash=False)
    claims: tuple[str, ...]
    topology: str
    levels: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsReport:
    """The scheduler with its teams and groups; `volumes` are the volume claims in each namespace.

    `shared` is False if the profile declares no teams; one team then has the whole capacity.
    """

    scheduler: str
    shared: bool
    quotas: tuple[QuotaReport, ...]
    groups: tuple[JobGroupReport, ...]
    volumes: tuple[str, ...]


def jobs_report(design: Design) -> JobsReport | None:
    """Return the report; None without Kubernetes, and None if HyperPod task governance creates the queues."""
    orchestrator = design.profile.orchestrator
    if not isinstance(orchestrator, Eks | HyperPodEks) or design.eks is None or is_governed(orchestrator):
        return None
    shares = shares_of(orchestrator, design.groups)
    return JobsReport(
        scheduler=orchestrator.scheduler,
        shared=shares.declared,
        quotas=tuple(_quotas(shares)),
        groups=tuple(_group(design, orchestrator, one) for one in shares.machines),
        volumes=tuple(sorted(_claims(design.eks))),
    )


def _quotas(shares: Shares) -> Iterator[QuotaReport]:
    for team in shares.teams:
        for quota in team.quotas:
            of_all = quota.machines
            yield QuotaReport(
                team=team.name,
                namespace=team.namespace,
                group=of_all.name,
                nodes=_nodes(of_all, quota.own),
                gpus=quota.own[GPU],
                borrow_nodes=None if quota.borrow is None else _nodes(of_all, quota.borrow),
                lend_nodes=None if quota.lend is None else _nodes(of_all, quota.lend),
            )
    for machines, rest in zip(shares.machines, shares.rest, strict=True):
        if shares.declared:
            yield QuotaReport(
                team=None, namespace=None, group=machines.name, nodes=_nodes(machines, rest), gpus=rest[GPU],
                borrow_nodes=None, lend_nodes=None,
            )  # fmt: skip


def _nodes(machines: Machines, amounts: Amounts) -> float:
    counted = GPU if machines.gpus else CPU
    return amounts[counted] / machines.node[counted]


def _group(design: Design, orchestrator: Eks | HyperPodEks, machines: Machines) -> JobGroupReport:
    nodes = job_nodes(orchestrator, design.groups, machines.name)
    return JobGroupReport(
        group=machines.name,
        nodes=machines.count,
        asks=whole_node(nodes)["requests"],
        claims=tuple(sorted(nodes.claimed)),
        topology=machines.topology,
        levels=machines.levels,
    )


def _claims(eks: EksPlan) -> set[str]:
    manifests = (step for step in eks.contents.steps if isinstance(step, Manifest))
    return {
        one["metadata"]["name"]
        for step in manifests
        for one in step.objects
        if one["kind"] == "PersistentVolumeClaim"
    }
