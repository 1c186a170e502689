"""What people who run jobs on a Kubernetes cluster have to know of it, as a plan shows it."""

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
    """What a team has of a group for itself, and how much more it may borrow and give; None: no bound.

    `team` None: what no team has, for all to borrow. Nodes are parts of one where GPUs are shared.
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
    """Nodes of a group as jobs see them.

    `asks` is what a pod asks for that has a node for itself, `claims` the resources that it claims (dynamic
    resource allocation), `levels` the labels that jobs are placed by, the widest first.
    """

    group: str
    nodes: int
    asks: dict[str, str] = field(hash=False)
    claims: tuple[str, ...]
    topology: str
    levels: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsReport:
    """Who admits jobs, for which teams, onto which nodes; `volumes` are claims in each namespace.

    `shared` is False where one team has everything because the profile names none.
    """

    scheduler: str
    shared: bool
    quotas: tuple[QuotaReport, ...]
    groups: tuple[JobGroupReport, ...]
    volumes: tuple[str, ...]


def jobs_report(design: Design) -> JobsReport | None:
    """Of a Kubernetes cluster; None under another control plane, and where HyperPod makes the queues."""
    orchestrator = design.profile.orchestrator
    if not isinstance(orchestrator, Eks | HyperPodEks) or design.eks is None or is_governed(orchestrator):
        return None
    shares = shares_of(orchestrator, design.groups)
    return JobsReport(
        scheduler=orchestrator.scheduler,
        shared=shares.stated,
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
        if shares.stated:
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
