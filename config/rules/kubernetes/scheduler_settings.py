"""Settings of the scheduler that was chosen, and topologies that the machines have."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import InstanceType
from config.design.kubernetes.devices import by_dra, needs_dra
from config.design.kubernetes.scheduler.amounts import counts_claims
from config.design.model import Design
from config.diagnostics import Path
from config.profile.kubernetes.base import Kubernetes
from config.profile.kubernetes.eks import Eks
from config.profile.kubernetes.hyperpod_eks import HyperPodEks
from config.rules.kubernetes.shares import AT, compute_of, kubernetes_of, shares_of, teams_of
from config.rules.registry import ERROR, WARNING, Finding, rule

_TOPOLOGY = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-topology-prerequisites.html"
_OWN = {"kueue": "kueue", "kai": "kai"}


@rule(
    "KUB005", ERROR, "a setting is one that the chosen scheduler has",
    why="One scheduler admits and places all jobs: two on one cluster would each give the same machines away. Volcano and KAI "
    "know no job that gives way by priority alone, KAI bounds no lending, and Volcano shares what is idle without weights.",
    source="docs/scheduling.md", reads="orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def settings_are_the_schedulers(design: Design) -> Iterator[Finding]:
    """Keys of one scheduler beside another one."""
    orchestrator = kubernetes_of(design)
    if orchestrator is None:
        return
    scheduler, scheduling = orchestrator.scheduler, orchestrator.scheduling
    for key in sorted(scheduling.model_fields_set & _OWN.keys() - {scheduler}):
        yield Finding(
            at=(*AT, key),
            message=f"settings of {key} under `scheduler: {scheduler}`",
            hint=f"take them out, or write `scheduler: {key}`",
        )
    if scheduler != "kueue" and scheduling.preemption.reclaim == "lower-priority":
        yield Finding(
            at=(*AT, "preemption", "reclaim"),
            message=f"{scheduler} reclaims from any borrowing job, not from those of a lower priority alone",
            hint="write `any` or `never`, or `scheduler: kueue`",
        )
    if scheduler == "kai":
        for at, _, share in shares_of(design):
            if share.lend is not None:
                yield Finding(
                    at=(*at, "lend"),
                    message="kai lends all of an idle share, and has no bound for it",
                    hint="take `lend` out, or write `scheduler: kueue`",
                )
    yield from _weights(design, orchestrator)


def _weights(design: Design, orchestrator: Kubernetes) -> Iterator[Finding]:
    fair = orchestrator.scheduling.kueue.fair_sharing
    if orchestrator.scheduler == "kai" or (orchestrator.scheduler == "kueue" and fair):
        return
    for at, team in teams_of(design):
        if team.weight != 1:
            shared = "`kueue: {fair_sharing: true}`"
            instead = shared if orchestrator.scheduler == "kueue" else f"`scheduler: kueue` with {shared}"
            yield Finding(
                at=(*at, "weight"),
                message=f"{orchestrator.scheduler} gives what is idle to who asks first, not by a weight of {team.weight}",
                hint=f"take `weight` out, or write {instead}",
            )


@rule(
    "KUB006", ERROR, "a topology has the levels that the machines' labels tell",
    why="Nodes that lack a label of their topology are passed over: no job would ever be placed on them. EC2 tells 4 layers "
    "of p6-b200 and p6-b300, 3 of p5, p5e, p5en and p6e-gb200, and none of p5.4xlarge.",
    source=_TOPOLOGY, reads="compute orchestrator", where="eks hyperpod-eks",
    ages="the instance types whose topology EC2 tells",
)  # fmt: skip
def topologies_have_layers(design: Design) -> Iterator[Finding]:
    """`topology: network` against the types of the groups with GPUs."""
    orchestrator = kubernetes_of(design)
    if orchestrator is None or orchestrator.scheduling.topology != "network":
        return
    for name, group in compute_of(design).items():
        kind = group.instance_type
        if kind.is_gpu and not kind.network_layers:
            yield Finding(
                at=(*AT, "topology"),
                message=f"{kind.name} ({name}) has no network layers that EC2 tells of",
                hint="write `topology: hosts`, or leave it out: each type then has what it has",
            )


@rule(
    "KUB007", ERROR, "UltraServers are told apart by a label that their nodes have",
    why="topology.k8s.aws/ultraserver-id is on the nodes of HyperPod alone: elsewhere no node would fit the topology. GPU feature "
    "discovery labels nodes with nvidia.com/gpu.clique everywhere.",
    source="https://docs.nvidia.com/topograph/reference/node-labels-and-annotations",
    reads="orchestrator", where="eks hyperpod-eks",
    ages="the labels that AWS gives nodes",
)  # fmt: skip
def nvlink_domains_have_labels(design: Design) -> Iterator[Finding]:
    """`nvlink_domain` against the control plane."""
    orchestrator = kubernetes_of(design)
    if orchestrator is None or isinstance(orchestrator, HyperPodEks):
        return
    if orchestrator.scheduling.nvlink_domain == "ultraserver":
        yield Finding(
            at=(*AT, "nvlink_domain"),
            message="nodes of eks have no label topology.k8s.aws/ultraserver-id",
            hint="write `gpu-clique`, or leave it out",
        )


@rule(
    "KUB008", ERROR, "jobs over NVLink between nodes run on a Kubernetes whose claims the scheduler counts",
    why="A pod reaches GPUs of other nodes by a claim (ComputeDomain). Kueue and Volcano count claims from Kubernetes 1.34 on, "
    "and do not admit such a job before.",
    source="https://kueue.sigs.k8s.io/docs/tasks/manage/setup_dra/",
    reads="compute orchestrator", where="eks hyperpod-eks",
    ages="the versions of Kubernetes that schedulers count claims on",
)  # fmt: skip
def claims_are_counted(design: Design) -> Iterator[Finding]:
    """The version of Kubernetes where groups are of UltraServers."""
    orchestrator = kubernetes_of(design)
    if (
        orchestrator is None
        or orchestrator.scheduler == "kai"
        or counts_claims(orchestrator.kubernetes_version)
    ):
        return
    if any(needs_dra(group) and by_dra(orchestrator, group) for group in compute_of(design).values()):
        yield Finding(
            at=("orchestrator", "kubernetes_version"),
            message=f"{orchestrator.scheduler} counts claims from Kubernetes 1.34 on, this is {orchestrator.kubernetes_version}",
            hint='write "1.34" or later',
        )


@rule(
    "KUB009", WARNING, "shares under Volcano and KAI are of one kind of GPU",
    why="Both count GPUs of all types as one: a team may get its share in GPUs of the other type. Kueue counts each group by itself.",
    source="https://github.com/volcano-sh/volcano/blob/master/docs/design/capacity-scheduling.md",
    reads="compute orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def shares_are_of_one_kind(design: Design) -> Iterator[Finding]:
    """Teams where compute groups have GPUs of several types."""
    orchestrator = kubernetes_of(design)
    if orchestrator is None or orchestrator.scheduler == "kueue" or not orchestrator.scheduling.teams:
        return
    kinds = sorted({kind.name for kind in _types(design) if kind.is_gpu})
    if len(kinds) > 1:
        yield Finding(
            at=(*AT, "teams"),
            message=f"{orchestrator.scheduler} counts GPUs of {' and '.join(kinds)} as one",
            hint="write `scheduler: kueue` to share each of them out by itself",
        )


def _types(design: Design) -> Iterator[InstanceType]:
    return (group.instance_type for group in compute_of(design).values())


@rule(
    "KUB010", ERROR, "priorities have names of their own",
    why="A name is one object in the cluster: a second one would take its place, and those of the system or of KAI's chart are taken.",
    source="https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/",
    reads="orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def priorities_have_names(design: Design) -> Iterator[Finding]:
    """The names of `priorities`."""
    from config.design.kubernetes.scheduler.kai import CHART_PRIORITIES

    orchestrator = kubernetes_of(design)
    if orchestrator is None:
        return
    taken = set(CHART_PRIORITIES) if orchestrator.scheduler == "kai" else set()
    seen: set[str] = set()
    for i, priority in enumerate(orchestrator.scheduling.priorities or ()):
        at: Path = (*AT, "priorities", i, "name")
        if priority.name in seen:
            yield Finding(at=at, message=f"two priorities are named {priority.name}", hint="take one out")
        elif priority.name in taken or priority.name.startswith("system-"):
            yield Finding(
                at=at,
                message=f"the priority {priority.name} is there already, and not the profile's",
                hint=f"call it otherwise: jobs-{priority.name}",
            )
        seen.add(priority.name)


@rule(
    "KUB011", WARNING, "under KAI a priority of 100 or more is for jobs that never give way",
    why="KAI never preempts such jobs, and lets them use no more than their team's own share: they cannot borrow.",
    source="https://github.com/kai-scheduler/KAI-Scheduler/blob/main/docs/priority/README.md",
    reads="orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def high_priorities_do_not_borrow(design: Design) -> Iterator[Finding]:
    """The values of `priorities` under kai."""
    from config.design.kubernetes.scheduler.kai import NOT_PREEMPTED_FROM

    orchestrator = kubernetes_of(design)
    if orchestrator is None or orchestrator.scheduler != "kai":
        return
    for i, priority in enumerate(orchestrator.scheduling.priorities or ()):
        if priority.value >= NOT_PREEMPTED_FROM:
            yield Finding(
                at=(*AT, "priorities", i, "value"),
                message=f"jobs of priority {priority.name} ({priority.value}) never give way under kai, and cannot borrow",
                hint=f"write less than {NOT_PREEMPTED_FROM} for jobs that may borrow",
            )


@rule(
    "KUB012", ERROR, "under task governance its own keys say what teams may use",
    why="HyperPod then installs Kueue and makes the queues from compute quotas: `scheduling` would be ignored.",
    source="https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-operate-console-ui-governance.html",
    reads="orchestrator", where="hyperpod-eks",
)  # fmt: skip
def governance_has_the_teams(design: Design) -> Iterator[Finding]:
    """`scheduling` beside `task_governance`."""
    from config.design.kubernetes.scheduler.part import is_governed

    orchestrator = kubernetes_of(design)
    if orchestrator is None or not is_governed(orchestrator):
        return
    for key in sorted(orchestrator.scheduling.model_fields_set):
        yield Finding(
            at=(*AT, key),
            message=f"`{key}` of `scheduling` beside `task_governance`, which makes the queues",
            hint="state `teams` and `priority_classes` under `task_governance`, or take that out",
        )


@rule(
    "KUB013", WARNING, "queues admit jobs onto nodes that are there",
    why="With a topology Kueue counts nodes that are ready: a group that is empty until a pod waits for it gets no job from a "
    "queue, and so never a node.",
    source="https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/", reads="compute orchestrator",
    where="karpenter autoscaling",
)  # fmt: skip
def queues_have_nodes(design: Design) -> Iterator[Finding]:
    """Groups that grow with pods, under Kueue."""
    from config.design.kubernetes.scheduler.part import is_governed

    orchestrator = kubernetes_of(design)
    if orchestrator is None or orchestrator.scheduler != "kueue" or is_governed(orchestrator):
        return
    for at, name in _grown(orchestrator):
        yield Finding(
            at=at,
            message=f"{name} has no nodes until pods wait for it, and Kueue admits no job before there are some",
            hint="start what shall fill it in a namespace that is no team's"
            + (
                ", or write `nodes: static`"
                if isinstance(orchestrator, Eks)
                else ", or state `task_governance`"
            ),
        )


def _grown(orchestrator: Kubernetes) -> Iterator[tuple[Path, str]]:
    """The groups that grow with pods, each with where that is said."""
    if isinstance(orchestrator, HyperPodEks) and orchestrator.autoscaling is not None:
        for i, name in enumerate(orchestrator.autoscaling.groups):
            yield ("orchestrator", "autoscaling", "groups", i), name
    if isinstance(orchestrator, Eks) and orchestrator.karpenter is not None:
        for i, group in enumerate(orchestrator.karpenter.groups):
            if group.nodes == "as-needed":
                yield ("orchestrator", "karpenter", "groups", i), group.name
