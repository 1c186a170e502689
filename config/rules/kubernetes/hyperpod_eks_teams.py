"""Rules for the teams of task governance: unique names, and quotas that the cluster can provide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from config.catalog import catalog
from config.catalog.kubernetes.hyperpod_eks import hyperpod_eks
from config.design.kinds import eks_of
from config.design.model import Design
from config.diagnostics import Path
from config.profile.kubernetes.task_governance import TaskGovernance, Team
from config.rules.parts import either
from config.rules.registry import ERROR, WARNING, Finding, rule

_API = "https://docs.aws.amazon.com/sagemaker/latest/APIReference"
_GOVERNANCE: Path = ("orchestrator", "task_governance")


def _governance(design: Design) -> TaskGovernance | None:
    hyperpod = eks_of(design.profile)
    return hyperpod.task_governance if hyperpod else None


def _teams(design: Design) -> Iterator[tuple[Path, Team]]:
    governance = _governance(design)
    for i, team in enumerate(governance.teams if governance else ()):
        yield (*_GOVERNANCE, "teams", i), team


@rule(
    "HPE020", ERROR, "teams and priority classes have unique names",
    why="HyperPod names a team's namespace after the team, and identifies a priority class by its name.",
    source=f"{_API}/API_CreateComputeQuota.html", reads="orchestrator", where="task_governance",
)  # fmt: skip
def names_differ(design: Design) -> Iterator[Finding]:
    """Report duplicate names in `teams` and `priority_classes`."""
    governance = _governance(design)
    if governance is None:
        return
    for key, named in (("teams", governance.teams), ("priority_classes", governance.priority_classes)):
        names = [one.name for one in named]
        for i, name in enumerate(names):
            if name in names[:i]:
                yield Finding(
                    at=(*_GOVERNANCE, key, i, "name"),
                    message=f"two {'teams' if key == 'teams' else 'priority classes'} are named {name}",
                    hint="set another `name` for one of them",
                )


@rule(
    "HPE021", ERROR, "a quota names an instance type of the cluster once",
    why="A team cannot use nodes of a type that the cluster does not have. HyperPod accepts each type once for a team.",
    source=f"{_API}/API_ComputeQuotaResourceConfig.html", reads="orchestrator compute", where="task_governance",
)  # fmt: skip
def quotas_are_of_the_cluster(design: Design) -> Iterator[Finding]:
    """Compare the quotas with the instance types of the groups."""
    types = sorted({instance.name for group in design.groups for instance in group.types})
    for at, team in _teams(design):
        names = [quota.instance_type for quota in team.quotas]
        for i, name in enumerate(names):
            here = (*at, "quotas", i, "instance_type")
            if name in names[:i]:
                yield Finding(
                    at=here,
                    message=f"team {team.name} has two quotas for {name}",
                    hint="replace the two quotas with one quota that is their total",
                )
            elif name not in types:
                known = "" if catalog().instance(name) else ", which is not a known type"
                yield Finding(
                    at=here,
                    message=f"team {team.name} has a quota for {name}{known}, but the cluster has no nodes of this type",
                    hint=f"set `instance_type` to {either(types)}"
                    if types
                    else "add a compute group with this instance type",
                )


@rule(
    "HPE022", WARNING, "the quotas of all teams are at most the nodes of the cluster",
    why="If the quotas total more than the nodes, the teams that start jobs first use all nodes. The other teams then do not get "
    "their quotas.",
    source=f"{_API}/API_CreateComputeQuota.html", reads="orchestrator compute", where="task_governance",
)  # fmt: skip
def quotas_add_up(design: Design) -> Iterator[Finding]:
    """Compare the total of all quotas for an instance type with the number of nodes of the type."""
    hyperpod = eks_of(design.profile)
    scaled = set(hyperpod.autoscaling.groups) if hyperpod and hyperpod.autoscaling else set()
    there: Counter[str] = Counter()
    for group in design.groups:
        there[group.instance_type.name] += group.count
    # the number of nodes is unknown if Karpenter or a fallback type sets it
    open_ended = {g.instance_type.name for g in design.groups if g.name in scaled or g.fallbacks}
    open_ended |= {other.name for g in design.groups for other in g.fallbacks}
    promised: Counter[str] = Counter()
    for at, team in _teams(design):
        for i, quota in enumerate(team.quotas):
            name = quota.instance_type
            promised[name] += quota.nodes
            if (
                there[name]
                and name not in open_ended
                and promised[name] > there[name] >= promised[name] - quota.nodes
            ):
                yield Finding(
                    at=(*at, "quotas", i, "nodes"),
                    message=f"the quota of team {team.name} raises the total of all teams to {promised[name]} nodes of {name}, but the "
                    f"cluster has {there[name]}",
                    hint=f"set `nodes` to {quota.nodes - promised[name] + there[name]}; teams can borrow idle nodes of other teams",
                )


@rule(
    "HPE023", ERROR, "the profile's Region supports team quotas",
    why="CloudFormation does not support AWS::SageMaker::ComputeQuota in other Regions.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sagemaker-computequota.html",
    reads="orchestrator region", where="task_governance", ages="the Regions that support team quotas",
)  # fmt: skip
def quotas_are_in_the_region(design: Design) -> Iterator[Finding]:
    """Compare the Region with the Regions that support team quotas, if the profile has teams."""
    governance, region = _governance(design), design.profile.region
    known = hyperpod_eks().governance_regions
    if governance is not None and governance.teams and region not in known:
        yield Finding(
            at=(*_GOVERNANCE, "teams"),
            message=f"CloudFormation does not support team quotas in {region}",
            hint=f"remove `teams`, or set `region` to one of {', '.join(sorted(known))}",
        )
