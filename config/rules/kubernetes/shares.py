"""Rules for the shares of teams: groups, limits, and names of teams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from config.design.capacity.groups import GroupPlan
from config.design.model import Design
from config.diagnostics import Path
from config.profile.kubernetes.scheduler import Share, Team
from config.profile.orchestrator import Eks, HyperPodEks
from config.rules.parts import either
from config.rules.registry import ERROR, Finding, rule

AT: Path = ("orchestrator", "scheduling")
_QUOTAS = "https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/"
_NAMES = "https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/"

Placed = tuple[Path, Team, Share]


def kubernetes_of(design: Design) -> Eks | HyperPodEks | None:
    """Return the profile's Kubernetes control plane, or None if it has none."""
    orchestrator = design.profile.orchestrator
    return orchestrator if isinstance(orchestrator, Eks | HyperPodEks) else None


def teams_of(design: Design) -> Iterator[tuple[Path, Team]]:
    """Yield each team with its path in the profile."""
    orchestrator = kubernetes_of(design)
    if orchestrator is not None:
        for i, team in enumerate(orchestrator.scheduling.teams):
            yield (*AT, "teams", i), team


def shares_of(design: Design) -> Iterator[Placed]:
    """Yield each share with its path in the profile and its team."""
    for at, team in teams_of(design):
        for i, share in enumerate(team.shares):
            yield (*at, "shares", i), team, share


def compute_of(design: Design) -> Mapping[str, GroupPlan]:
    """Return the compute groups by name."""
    return {plan.name: plan for _, group, plan in design.planned_groups if group.role == "compute"}


def _group_of(share: Share, compute: Mapping[str, GroupPlan]) -> GroupPlan | None:
    if share.group is None:
        return next(iter(compute.values())) if len(compute) == 1 else None
    return compute.get(share.group)


@rule(
    "KUB001", ERROR, "the total of a group's shares is at most its capacity",
    why="A team is guaranteed its share. If the shares total more than the capacity, not all teams can use their shares at the "
    "same time, and the queue admits jobs that cannot run.",
    source=_QUOTAS, reads="compute orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def shares_fit(design: Design) -> Iterator[Finding]:
    """Compare the shares of each group, in GPUs or nodes, with its capacity."""
    compute = compute_of(design)
    taken: dict[str, int] = {}
    for at, team, share in shares_of(design):
        group = _group_of(share, compute)
        # a group without nodes waits for its next reservation, and its shares are not checked
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
                message=f"the share of team {team.name} raises the total of all teams in group {group.name} to {before + amount} "
                f"{unit}, but the group has {there} {unit}",
                hint=f"set the share of team {team.name} to {there - before} {unit} or less, or raise the group's "
                "`count`",
            )


def _is_one_of(share: Share) -> bool:
    return (share.nodes is None) != (share.gpus is None)


@rule(
    "KUB002", ERROR, "a share is a number of nodes or GPUs of one compute group",
    why="Jobs run only on compute groups. A share with two units is ambiguous, and a share without a unit has no effect.",
    source="docs/scheduling.md", reads="compute orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def shares_are_of_groups(design: Design) -> Iterator[Finding]:
    """Check the group and the unit of each share."""
    compute, declared = compute_of(design), {group.name for _, group in design.placed_groups}
    seen: set[tuple[str, str]] = set()
    names = either(sorted(compute)) or "a compute group"
    for at, team, share in shares_of(design):
        group = _group_of(share, compute)
        if not _is_one_of(share):
            message = (
                "the share has both `nodes` and `gpus`"
                if share.nodes is not None
                else "the share has neither `nodes` nor `gpus`"
            )
            yield Finding(at=at, message=message, hint="set either `nodes` or `gpus`")
        elif group is None and share.group is None:
            yield Finding(
                at=at,
                message=f"the share does not name a group, but the profile has {len(compute)} compute groups",
                hint=f"set `group` to {names}",
            )
        elif group is None:
            what = "not a compute group" if share.group in declared else "not a group"
            yield Finding(
                at=(*at, "group"),
                message=f"the share names {share.group}, which is {what}",
                hint=f"set `group` to {names}",
            )
        elif (team.name, group.name) in seen:
            yield Finding(
                at=at,
                message=f"team {team.name} has two shares of group {group.name}",
                hint="merge the two shares into one",
            )
        elif share.gpus is not None and group.instance_type.gpu is None:
            yield Finding(
                at=(*at, "gpus"),
                message=f"the share sets `gpus`, but group {group.name} has {group.instance_type.name} instances without GPUs",
                hint="set `nodes` instead of `gpus`",
            )
        if group is not None:
            seen.add((team.name, group.name))


@rule(
    "KUB003", ERROR, "a team lends at most its share",
    why="Kueue rejects a lending limit above the nominal quota, and Volcano rejects a negative guarantee.",
    source=_QUOTAS, reads="orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def lending_is_within_the_share(design: Design) -> Iterator[Finding]:
    """Compare `lend` with the share, in the unit of the share."""
    for at, team, share in shares_of(design):
        own, unit = (share.nodes or 0, "nodes") if share.gpus is None else (share.gpus, "GPUs")
        if share.lend is not None and share.lend > own:
            yield Finding(
                at=(*at, "lend"),
                message=f"team {team.name} lends {share.lend} {unit}, but the team's share is {own} {unit}",
                hint=f"set `lend` to {own} or less, or remove `lend` to lend the whole share",
            )


_SYSTEM = ("kube-", "kueue-", "volcano-", "kai-", "amazon-", "aws-", "hyperpod-", "ultracluster")
_TAKEN_NAMESPACES = ("cert-manager", "default", "karpenter", "mount-s3")
"""Reserved namespaces of EKS add-ons and Kubernetes; the lock file lists the namespaces of charts."""
_TAKEN_QUEUES = {"kueue": (), "volcano": ("default", "root"), "kai": ("cluster",)}


@rule(
    "KUB004", ERROR, "each team has a unique name and a namespace that no other component uses",
    why="The scheduler delays all workloads in a team's namespace until its queue has capacity. In a system namespace it would delay the pods that the cluster itself needs.",
    source=_NAMES, reads="orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def teams_have_names(design: Design) -> Iterator[Finding]:
    """Check the names of queues and namespaces."""
    orchestrator = kubernetes_of(design)
    taken = _TAKEN_QUEUES[orchestrator.scheduler] if orchestrator else ()
    names: set[str] = set()
    spaces: dict[str, str] = {}
    for at, team in teams_of(design):
        space = team.namespace or team.name
        key = "namespace" if team.namespace else "name"
        if team.name in names:
            yield Finding(
                at=(*at, "name"),
                message=f"two teams are named {team.name}",
                hint="set another `name` for one of them",
            )
        elif team.name in taken:
            yield Finding(
                at=(*at, "name"),
                message=f"the scheduler already has its own queue with the name {team.name}",
                hint=f"use another name, for example {team.name}-team",
            )
        elif _is_taken(space):
            yield Finding(
                at=(*at, key),
                message=f"the namespace {space} is reserved for the system",
                hint="set `namespace` to a namespace that is only for jobs",
            )
        elif space in spaces:
            yield Finding(
                at=(*at, key),
                message=f"the teams {spaces[space]} and {team.name} both use the namespace {space}",
                hint="set a separate `namespace` for one of them",
            )
        names.add(team.name)
        spaces.setdefault(space, team.name)


def _is_taken(namespace: str) -> bool:
    from config.catalog.kubernetes.charts import charts

    of_charts = {chart.namespace for chart in charts().values()}
    return namespace in of_charts or namespace in _TAKEN_NAMESPACES or namespace.startswith(_SYSTEM)
