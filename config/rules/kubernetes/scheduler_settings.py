"""Rules for the settings of the selected scheduler, and for the topologies of the instance types."""

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
    "KUB005", ERROR, "the scheduler supports the settings in `scheduling`",
    why="Only one scheduler admits and places the jobs of a cluster; two would allocate the same nodes "
    "twice. Volcano and KAI do not reclaim by priority, KAI does not limit lending, and Volcano does "
    "not share idle capacity by weight.",
    source="docs/scheduling.md", reads="orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def settings_are_the_schedulers(design: Design) -> Iterator[Finding]:
    """Report keys that the selected scheduler does not support."""
    orchestrator = kubernetes_of(design)
    if orchestrator is None:
        return
    scheduler, scheduling = orchestrator.scheduler, orchestrator.scheduling
    for key in sorted(scheduling.model_fields_set & _OWN.keys() - {scheduler}):
        yield Finding(
            at=(*AT, key),
            message=f"`{key}` has no effect with `scheduler: {scheduler}`",
            hint=f"remove `{key}`, or set `scheduler: {key}`",
        )
    if scheduler != "kueue" and scheduling.preemption.reclaim == "lower-priority":
        yield Finding(
            at=(*AT, "preemption", "reclaim"),
            message=f"{scheduler} reclaims capacity from any borrowing job, not only from jobs of a lower "
            "priority",
            hint="set `reclaim` to `any` or `never`, or set `scheduler: kueue`",
        )
    if scheduler == "kai":
        for at, _, share in shares_of(design):
            if share.lend is not None:
                yield Finding(
                    at=(*at, "lend"),
                    message="kai lends all of an idle share, and does not support a limit",
                    hint="remove `lend`, or set `scheduler: kueue`",
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
                message=f"{orchestrator.scheduler} assigns idle capacity to the first job that requests it, so a "
                f"weight of {team.weight} has no effect",
                hint=f"remove `weight`, or set {instead}",
            )


@rule(
    "KUB006", ERROR, "a network topology has only layers that EC2 reports for the instance types",
    why="Kueue ignores nodes that lack a label of their topology, so no job would run on them. EC2 reports "
    "4 network layers for p6-b200 and p6-b300, 3 for p5, p5e, p5en and p6e-gb200, and none for "
    "p5.4xlarge.",
    source=_TOPOLOGY, reads="compute orchestrator", where="eks hyperpod-eks",
    ages="the instance types whose topology EC2 reports",
)  # fmt: skip
def topologies_have_layers(design: Design) -> Iterator[Finding]:
    """Check that the instance types of GPU groups support `topology: network`."""
    orchestrator = kubernetes_of(design)
    if orchestrator is None or orchestrator.scheduling.topology != "network":
        return
    for name, group in compute_of(design).items():
        kind = group.instance_type
        if kind.is_gpu and not kind.network_layers:
            yield Finding(
                at=(*AT, "topology"),
                message=f"EC2 does not report network layers for {kind.name} (group {name})",
                hint="set `topology: hosts`, or remove `topology`: each instance type then uses its own layers",
            )


@rule(
    "KUB007", ERROR, "nodes have the label that identifies their UltraServer",
    why="Only HyperPod sets topology.k8s.aws/ultraserver-id on its nodes; on EKS, no node would match the topology. GPU feature "
    "discovery sets nvidia.com/gpu.clique on HyperPod and on EKS.",
    source="https://docs.nvidia.com/topograph/reference/node-labels-and-annotations",
    reads="orchestrator", where="eks hyperpod-eks",
    ages="the labels that AWS sets on nodes",
)  # fmt: skip
def nvlink_domains_have_labels(design: Design) -> Iterator[Finding]:
    """Compare `nvlink_domain` with the control plane."""
    orchestrator = kubernetes_of(design)
    if orchestrator is None or isinstance(orchestrator, HyperPodEks):
        return
    if orchestrator.scheduling.nvlink_domain == "ultraserver":
        yield Finding(
            at=(*AT, "nvlink_domain"),
            message="nodes of `kind: eks` have no label topology.k8s.aws/ultraserver-id",
            hint="set `nvlink_domain: gpu-clique`, or remove `nvlink_domain`",
        )


@rule(
    "KUB008", ERROR, "the scheduler can count the resource claims of jobs that use NVLink between nodes",
    why="A pod reaches the GPUs of other nodes through a resource claim (ComputeDomain). Kueue and Volcano "
    "count claims only on Kubernetes 1.34 or newer, and do not admit the job on older versions.",
    source="https://kueue.sigs.k8s.io/docs/tasks/manage/setup_dra/",
    reads="compute orchestrator", where="eks hyperpod-eks",
    ages="the Kubernetes versions on which schedulers count resource claims",
)  # fmt: skip
def claims_are_counted(design: Design) -> Iterator[Finding]:
    """Check the Kubernetes version if a group uses UltraServers."""
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
            message=f"{orchestrator.scheduler} counts resource claims only on Kubernetes 1.34 or newer, but the cluster has "
            f"{orchestrator.kubernetes_version}",
            hint='set orchestrator.kubernetes_version to "1.34" or newer',
        )


@rule(
    "KUB044", WARNING, "jobs that claim devices under Kueue use whole nodes",
    why="Kueue places jobs by topology, and does not count claimed devices per node. A second job that claims GPUs and requests "
    "few cores is placed on a busy node, waits there, and is evicted. Requests for the cores and memory of a whole node prevent "
    "this.",
    source="https://kueue.sigs.k8s.io/docs/concepts/dynamic_resource_allocation/",
    reads="compute orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def claims_take_whole_nodes(design: Design) -> Iterator[Finding]:
    """Report groups with claimed GPUs under Kueue."""
    orchestrator = kubernetes_of(design)
    if orchestrator is None or orchestrator.scheduler != "kueue":
        return
    for group in compute_of(design).values():
        if not by_dra(orchestrator, group):
            continue
        other = "" if needs_dra(group) else ", or set `devices: plugins`"
        declared = group.name in orchestrator.components.group_devices
        yield Finding(
            at=("orchestrator", "components", *(("group_devices", group.name) if declared else ("devices",))),
            message=f"Kueue can place two jobs on one node of group {group.name}, because it does not count claimed GPUs per node",
            hint=f"write jobs with `ultracluster job`, which requests the CPU and memory of whole nodes{other}",
        )


@rule(
    "KUB009", WARNING, "a cluster with teams under Volcano or KAI has one GPU type",
    why="Volcano and KAI count GPUs of all types together, so a team can receive its share in GPUs of another type. Kueue counts each group separately.",
    source="https://github.com/volcano-sh/volcano/blob/master/docs/design/capacity-scheduling.md",
    reads="compute orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def shares_are_of_one_kind(design: Design) -> Iterator[Finding]:
    """Report compute groups with different GPU types if the profile has teams."""
    orchestrator = kubernetes_of(design)
    if orchestrator is None or orchestrator.scheduler == "kueue" or not orchestrator.scheduling.teams:
        return
    kinds = sorted({kind.name for kind in _types(design) if kind.is_gpu})
    if len(kinds) > 1:
        yield Finding(
            at=(*AT, "teams"),
            message=f"{orchestrator.scheduler} counts GPUs of {' and '.join(kinds)} together, so a team can get GPUs of the wrong "
            "type",
            hint="set `scheduler: kueue`, which counts each GPU type separately",
        )


def _types(design: Design) -> Iterator[InstanceType]:
    return (group.instance_type for group in compute_of(design).values())


@rule(
    "KUB010", ERROR, "each priority has a unique name that no other component uses",
    why="A priority is one object in the cluster, so a second priority with the same name would replace the first. Kubernetes and "
    "KAI's chart reserve some names.",
    source="https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/",
    reads="orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def priorities_have_names(design: Design) -> Iterator[Finding]:
    """Report duplicate and reserved names in `priorities`."""
    from config.design.kubernetes.scheduler.kai import CHART_PRIORITIES

    orchestrator = kubernetes_of(design)
    if orchestrator is None:
        return
    taken = set(CHART_PRIORITIES) if orchestrator.scheduler == "kai" else set()
    seen: set[str] = set()
    for i, priority in enumerate(orchestrator.scheduling.priorities or ()):
        at: Path = (*AT, "priorities", i, "name")
        if priority.name in seen:
            yield Finding(
                at=at,
                message=f"two priorities are named {priority.name}",
                hint="remove one of the priorities",
            )
        elif priority.name in taken or priority.name.startswith("system-"):
            yield Finding(
                at=at,
                message=f"the priority name {priority.name} is reserved by Kubernetes or the scheduler's chart",
                hint=f"use another name, for example jobs-{priority.name}",
            )
        seen.add(priority.name)


@rule(
    "KUB011", WARNING, "under KAI, a priority of 100 or more is only for jobs that must not be preempted",
    why="KAI does not preempt these jobs. KAI also limits these jobs to their team's own share, so they cannot borrow.",
    source="https://github.com/kai-scheduler/KAI-Scheduler/blob/main/docs/priority/README.md",
    reads="orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def high_priorities_do_not_borrow(design: Design) -> Iterator[Finding]:
    """Check the values of `priorities` under kai."""
    from config.design.kubernetes.scheduler.kai import NOT_PREEMPTED_FROM

    orchestrator = kubernetes_of(design)
    if orchestrator is None or orchestrator.scheduler != "kai":
        return
    for i, priority in enumerate(orchestrator.scheduling.priorities or ()):
        if priority.value >= NOT_PREEMPTED_FROM:
            yield Finding(
                at=(*AT, "priorities", i, "value"),
                message=f"jobs of priority {priority.name} ({priority.value}) cannot borrow, and kai does not preempt these jobs",
                hint=f"set `value` to less than {NOT_PREEMPTED_FROM} if these jobs must borrow",
            )


@rule(
    "KUB012", ERROR, "with task governance, the teams' limits are set under `task_governance`",
    why="Task governance installs Kueue, and creates the queues from compute quotas. `scheduling` would have no effect.",
    source="https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-operate-console-ui-governance.html",
    reads="orchestrator", where="hyperpod-eks",
)  # fmt: skip
def governance_has_the_teams(design: Design) -> Iterator[Finding]:
    """Report keys of `scheduling` if `task_governance` is set."""
    from config.design.kubernetes.scheduler.part import is_governed

    orchestrator = kubernetes_of(design)
    if orchestrator is None or not is_governed(orchestrator):
        return
    for key in sorted(orchestrator.scheduling.model_fields_set):
        yield Finding(
            at=(*AT, key),
            message=f"`scheduling.{key}` has no effect with `task_governance`, which creates the queues",
            hint="set `teams` and `priority_classes` under `task_governance`, or remove `task_governance`",
        )


@rule(
    "KUB013", WARNING, "Kueue queues use groups that have nodes",
    why="With a topology, Kueue counts only nodes that are ready. For a group that starts with 0 nodes, Kueue therefore does not "
    "admit jobs. Without a waiting pod, Karpenter does not launch a node.",
    source="https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/", reads="compute orchestrator",
    where="karpenter autoscaling",
)  # fmt: skip
def queues_have_nodes(design: Design) -> Iterator[Finding]:
    """Report groups that scale from 0 nodes under Kueue."""
    from config.design.kubernetes.scheduler.part import is_governed

    orchestrator = kubernetes_of(design)
    if orchestrator is None or orchestrator.scheduler != "kueue" or is_governed(orchestrator):
        return
    for at, name in _autoscaled(orchestrator):
        yield Finding(
            at=at,
            message=f"group {name} gets nodes only for pending pods, but Kueue does not admit a job before the group has nodes",
            hint="start the workloads for this group in a namespace that does not belong to a team"
            + (", or set `nodes: static`" if isinstance(orchestrator, Eks) else ", or set `task_governance`"),
        )


def _autoscaled(orchestrator: Kubernetes) -> Iterator[tuple[Path, str]]:
    """Yield the path and the group of each group that scales with pending pods."""
    if isinstance(orchestrator, HyperPodEks) and orchestrator.autoscaling is not None:
        for i, name in enumerate(orchestrator.autoscaling.groups):
            yield ("orchestrator", "autoscaling", "groups", i), name
    if isinstance(orchestrator, Eks) and orchestrator.karpenter is not None:
        for i, group in enumerate(orchestrator.karpenter.groups):
            if group.nodes == "as-needed":
                yield ("orchestrator", "karpenter", "groups", i), group.name
