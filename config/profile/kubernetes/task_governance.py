"""Task governance of HyperPod: Kueue as an add-on, and what each team may use of the cluster."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import TEAM, Model, Sequence


class PriorityClass(Model):
    """A class of tasks: those of more weight go first, and may stop others of their team."""

    name: Annotated[str, Field(pattern=TEAM, max_length=40, description="Name of the class: training.")]
    weight: Annotated[
        int, Field(ge=0, le=100, description="One of its bounds is 100; tasks of more weight go first.")
    ]


class TeamQuota(Model):
    """Whole nodes of one type that a team has."""

    instance_type: Annotated[str, Field(description="EC2 name of a type of the cluster's: p6-b200.48xlarge.")]
    nodes: Annotated[int, Field(ge=0, le=10_000_000, description="Nodes of this type.")]


class Team(Model):
    """A team with a namespace of its own, hyperpod-ns-NAME, and its part of the cluster."""

    name: Annotated[
        str,
        Field(pattern=TEAM, max_length=40, description="Name of the team; another name is another team."),
    ]
    quotas: Annotated[
        Sequence[TeamQuota],
        Field(max_length=15, description="What it has; default: only what others lend."),
    ] = ()
    fair_share_weight: Annotated[
        int,
        Field(ge=0, le=100, description="Its part of the nodes that are idle, beside those of other teams."),
    ] = 0
    sharing: Annotated[
        Literal["lend-and-borrow", "lend", "dont-lend"],
        Field(description="What the team does with idle nodes, its own and those of others."),
    ] = "lend-and-borrow"
    borrow_limit_percent: Annotated[
        int,
        Field(
            ge=1, le=500, description="Idle nodes that it may borrow, in per cent, as HyperPod counts them."
        ),
    ] = 50
    preempt: Annotated[
        Literal["lower-priority", "never"],
        Field(description="Whether a task stops those of its team that have less weight."),
    ] = "lower-priority"


class TaskGovernance(Model):
    """Task governance: HyperPod's own Kueue, in the place of ultracluster's."""

    fair_share: Annotated[
        bool,
        Field(description="Idle nodes go to teams by `fair_share_weight`; false: first come, first served."),
    ] = True
    idle_resource_sharing: Annotated[
        bool, Field(description="Teams may use idle nodes that no team has.")
    ] = True
    priority_classes: Annotated[
        Sequence[PriorityClass], Field(max_length=10, description="Classes of tasks; default: none.")
    ] = ()
    teams: Annotated[
        Sequence[Team], Field(max_length=100, description="Teams and what each has; default: none.")
    ] = ()
