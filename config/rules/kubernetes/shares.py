"""Shares of teams on Kubernetes: what they are parts of, and that they fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from config.design.capacity.groups import GroupPlan
from config.design.model import Design
from config.diagnostics import Path
from config.profile.kubernetes.scheduler import Share, Team
from config.profile.orchestrator import Eks, HyperPodEks
from config.rules.registry import ERROR, Finding, rule

AT: Path = ("orchestrator", "scheduling")
_QUOTAS = "https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/"
_NAMES = "https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/"

Placed = tuple[Path, Team, Share]


def kubernetes_of(design: Design) -> Eks | HyperPodEks | None:
    """The Kubernetes control plane of a profile."""
    orchestrator = design.profile.orchestrator
    return orchestrator if isinstance(orchestrator, Eks | HyperPodEks) else None


def teams_of(design: Design) -> Iterator[tuple[Path, Team]]:
    """Every team that the profile states, each with its place."""
    orchestrator = kubernetes_of(design)
    if orchestrator is not None:
        for i, team in enumerate(orchestrator.scheduling.teams):
            yield (*AT, "teams", i), team


def shares_of(design: Design) -> Iterator[Placed]:
    """Every share, with its place and its team."""
    for at, team in teams_of(design):
        for i, share in enumerate(team.shares):
            yield (*at, "shares", i), team, share


def compute_of(design: Design) -> Mapping[str, GroupPlan]:
    """The groups that jobs run on, by name."""
    return {plan.name: plan for _, group, plan in design.planned_groups if group.role == "compute"}


def _group_of(share: Share, compute: Mapping[str, GroupPlan]) -> GroupPlan | None:
    if share.group is None:
        return next(iter(compute.values())) if len(compute) == 1 else None
    return compute.get(share.group)


@rule(
    "KUB001", ERROR, "the shares of a group are no more than its machines",
    why="A share is what a team gets when it asks: more than there is could not be given to all of them at once, and jobs "
    "would be admitted that cannot run.",
    source=_QUOTAS, reads="compute orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def shares_fit(design: Design) -> Iterator[Finding]:
    """The shares of each group, in GPUs or nodes, against its machines."""
    compute = compute_of(design)
    taken: dict[str, int] = {}
    for at, team, share in shares_of(design):
        group = _group_of(share, compute)
        # a group between two reservations has no nodes, and its shares wait for them
        if group is None or not group.count or not _is_one_of(share):
            continue
        each = group.instance_type.gpu.count if group.instance_type.gpu else 1
        unit = "GPUs" if group.instance_type.gpu else "nodes"
        amount = (share.nodes or 0) * each if share.gpus is None else share.gpus
        before, there = taken.get(group.name, 0), group.usable * each
        taken[group.name] = before + amount
        if before <= there < before + amount:
            yield Finding(
                at=(*at, "nodes" if share.gpus is None else "gpus"),
                message=f"with team {team.name} the shares of {group.name} are {before + amount} {unit}, it has {there}",
                hint=f"leave {there - before} {unit} or fewer for {team.name}, or raise the group's `count`",
            )


def _is_one_of(share: Share) -> bool:
    return (share.nodes is None) != (share.gpus is None)


@rule(
    "KUB002", ERROR, "a share is so many nodes or GPUs of one compute group",
    why="Jobs run on compute groups alone, and a share that is counted twice, or not at all, would be ignored.",
    source="docs/scheduling.md", reads="compute orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def shares_are_of_groups(design: Design) -> Iterator[Finding]:
    """The group and the unit of each share."""
    compute, stated = compute_of(design), {group.name for _, group in design.placed_groups}
    seen: set[tuple[str, str]] = set()
    names = ", ".join(sorted(compute)) or "a compute group"
    for at, team, share in shares_of(design):
        group = _group_of(share, compute)
        if not _is_one_of(share):
            message = (
                "a share has both `nodes` and `gpus`" if share.nodes is not None else "a share of nothing"
            )
            yield Finding(at=at, message=message, hint="write either `nodes` or `gpus`")
        elif group is None and share.group is None:
            yield Finding(
                at=at,
                message=f"{len(compute)} compute groups, and the share does not say of which one it is",
                hint=f"write `group`: one of {names}",
            )
        elif group is None:
            what = "no compute group" if share.group in stated else "no group"
            yield Finding(at=(*at, "group"), message=f"{share.group} is {what}", hint=f"name one of {names}")
        elif (team.name, group.name) in seen:
            yield Finding(
                at=at, message=f"a second share of {group.name} for team {team.name}", hint="write one share"
            )
        elif share.gpus is not None and group.instance_type.gpu is None:
            yield Finding(
                at=(*at, "gpus"),
                message=f"{group.name} is of {group.instance_type.name}, which has no GPUs",
                hint="count in `nodes`",
            )
        if group is not None:
            seen.add((team.name, group.name))


@rule(
    "KUB003", ERROR, "no team lends more than its share",
    why="Kueue refuses a lending limit above the nominal quota, and Volcano a guarantee below nothing.",
    source=_QUOTAS, reads="orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def lending_is_of_the_share(design: Design) -> Iterator[Finding]:
    """`lend` against the share that it is counted like."""
    for at, team, share in shares_of(design):
        own = (share.nodes or 0) if share.gpus is None else share.gpus
        if share.lend is not None and share.lend > own:
            yield Finding(
                at=(*at, "lend"),
                message=f"team {team.name} lends {share.lend} of a share of {own}",
                hint=f"write `lend: {own}`, or leave it out to lend everything",
            )


_SYSTEM = ("kube-", "kueue-", "volcano-", "kai-", "amazon-", "aws-", "hyperpod-", "ultracluster")
_TAKEN_NAMESPACES = ("cert-manager", "default", "karpenter", "mount-s3")
"""Of add-ons of EKS, and of Kubernetes itself; charts have theirs in the lock file."""
_TAKEN_QUEUES = {"kueue": (), "volcano": ("default", "root"), "kai": ("cluster",)}


@rule(
    "KUB004", ERROR, "each team has a name and a namespace of its own, which nothing else uses",
    why="The scheduler holds back whatever starts in a team's namespace until its queue has room: in one of the system's it "
    "would hold back what the cluster itself needs.",
    source=_NAMES, reads="orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def teams_have_names(design: Design) -> Iterator[Finding]:
    """Names of queues and namespaces."""
    orchestrator = kubernetes_of(design)
    taken = _TAKEN_QUEUES[orchestrator.scheduler] if orchestrator else ()
    names: set[str] = set()
    spaces: dict[str, str] = {}
    for at, team in teams_of(design):
        space = team.namespace or team.name
        key = "namespace" if team.namespace else "name"
        if team.name in names:
            yield Finding(
                at=(*at, "name"), message=f"two teams are named {team.name}", hint="give one another name"
            )
        elif team.name in taken:
            yield Finding(
                at=(*at, "name"),
                message=f"the scheduler has a queue {team.name} of its own",
                hint=f"call the team otherwise: {team.name}-team",
            )
        elif _is_taken(space):
            yield Finding(
                at=(*at, key),
                message=f"the namespace {space} is the system's",
                hint="write another `namespace`, one for jobs alone",
            )
        elif space in spaces:
            yield Finding(
                at=(*at, key),
                message=f"the teams {spaces[space]} and {team.name} would share the namespace {space}",
                hint="write a `namespace` of its own for one of them",
            )
        names.add(team.name)
        spaces.setdefault(space, team.name)


def _is_taken(namespace: str) -> bool:
    from config.catalog.kubernetes.charts import charts

    of_charts = {chart.namespace for chart in charts().values()}
    return namespace in of_charts or namespace in _TAKEN_NAMESPACES or namespace.startswith(_SYSTEM)
