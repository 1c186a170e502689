"""Teams of task governance: names of their own, and quotas that the cluster has nodes for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from config.catalog import catalog
from config.catalog.kubernetes.hyperpod_eks import hyperpod_eks
from config.design.kinds import eks_of
from config.design.model import Design
from config.diagnostics import Path
from config.profile.kubernetes.task_governance import TaskGovernance, Team
from config.rules.registry import ERROR, WARNING, Finding, rule

_API = "https://docs.aws.amazon.com/sagemaker/latest/APIReference"
_GOVERNANCE: Path = ("orchestrator", "task_governance")


def _governance(design: Design) -> TaskGovernance | None:
    stated = eks_of(design.profile)
    return stated.task_governance if stated else None


def _teams(design: Design) -> Iterator[tuple[Path, Team]]:
    governance = _governance(design)
    for i, team in enumerate(governance.teams if governance else ()):
        yield (*_GOVERNANCE, "teams", i), team


@rule(
    "HPE020", ERROR, "teams and classes of tasks have names of their own",
    why="A team's name is that of its namespace, and a class is known by nothing else.",
    source=f"{_API}/API_CreateComputeQuota.html", reads="orchestrator", where="task_governance",
)  # fmt: skip
def names_differ(design: Design) -> Iterator[Finding]:
    """Teams and priority_classes by name."""
    governance = _governance(design)
    if governance is None:
        return
    for key, named in (("teams", governance.teams), ("priority_classes", governance.priority_classes)):
        names = [one.name for one in named]
        for i, name in enumerate(names):
            if name in names[:i]:
                yield Finding(
                    at=(*_GOVERNANCE, key, i, "name"),
                    message=f"two {'teams' if key == 'teams' else 'classes'} are named {name}",
                    hint="give this one another name",
                )


@rule(
    "HPE021", ERROR, "a quota is of a type that the cluster has",
    why="A team could never use nodes of another; HyperPod takes a type once for each team.",
    source=f"{_API}/API_ComputeQuotaResourceConfig.html", reads="orchestrator compute", where="task_governance",
)  # fmt: skip
def quotas_are_of_the_cluster(design: Design) -> Iterator[Finding]:
    """Quotas against the types of the groups."""
    types = sorted({instance.name for group in design.groups for instance in group.types})
    for at, team in _teams(design):
        stated = [quota.instance_type for quota in team.quotas]
        for i, name in enumerate(stated):
            here = (*at, "quotas", i, "instance_type")
            if name in stated[:i]:
                yield Finding(
                    at=here, message=f"team {team.name} has {name} twice", hint="add both up in one"
                )
            elif name not in types:
                known = "" if catalog().instance(name) else ", which is no known type"
                yield Finding(
                    at=here,
                    message=f"team {team.name} has nodes of {name}{known}; the cluster has none",
                    hint=f"write {' or '.join(types)}" if types else "add a group of that type",
                )


@rule(
    "HPE022", WARNING, "teams have no more nodes than there are",
    why="What is promised twice is had by the team that comes first: a quota is then no guarantee.",
    source=f"{_API}/API_CreateComputeQuota.html", reads="orchestrator compute", where="task_governance",
)  # fmt: skip
def quotas_add_up(design: Design) -> Iterator[Finding]:
    """The sum of all quotas of a type against its nodes."""
    stated = eks_of(design.profile)
    scaled = set(stated.autoscaling.groups) if stated and stated.autoscaling else set()
    there: Counter[str] = Counter()
    for group in design.groups:
        there[group.instance_type.name] += group.count
    # how many nodes of a type there can be is not known where Karpenter or a fall-back decides
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
                    message=f"with team {team.name}, teams have {promised[name]} of {there[name]} nodes of {name}",
                    hint=f"write {quota.nodes - promised[name] + there[name]}; teams borrow what others leave idle",
                )


@rule(
    "HPE023", ERROR, "quotas of teams exist in the profile's Region",
    why="CloudFormation does not know AWS::SageMaker::ComputeQuota elsewhere.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sagemaker-computequota.html",
    reads="orchestrator region", where="task_governance", ages="the Regions that have quotas of teams",
)  # fmt: skip
def quotas_are_in_the_region(design: Design) -> Iterator[Finding]:
    """Teams against the Regions of task governance."""
    governance, region = _governance(design), design.profile.region
    known = hyperpod_eks().governance_regions
    if governance is not None and governance.teams and region not in known:
        yield Finding(
            at=(*_GOVERNANCE, "teams"),
            message=f"CloudFormation has no quotas of teams in {region}",
            hint=f"take `teams` out, or use one of {', '.join(sorted(known))}",
        )
