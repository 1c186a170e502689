"""Profile keys of HyperPod task governance: Kueue as an add-on, with quotas for teams."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import TEAM, Model, Sequence


class PriorityClass(Model):
    """A priority class of tasks.

    Tasks of a higher weight start first, and can preempt other tasks of their team.
    """

    name: Annotated[str, Field(pattern=TEAM, max_length=40, description="Name of the class: training.")]
    weight: Annotated[
        int,
        Field(
            ge=0,
            le=100,
            description="Weight of the class; its bounds are 0 and 100. Tasks of a higher weight start first.",
        ),
    ]


class TeamQuota(Model):
    """A quota of whole nodes of one instance type."""

    instance_type: Annotated[
        str, Field(description="Instance type of the cluster, by its EC2 name: p6-b200.48xlarge.")
    ]
    nodes: Annotated[int, Field(ge=0, le=10_000_000, description="Number of nodes of this type.")]


class Team(Model):
    """A team with its own namespace, hyperpod-ns-NAME, and its quotas."""

    name: Annotated[
        str,
        Field(
            pattern=TEAM, max_length=40, description="Name of the team. Changing the name replaces the team."
        ),
    ]
    quotas: Annotated[
        Sequence[TeamQuota],
        Field(
            max_length=15, description="Quotas of the team. Default: none; the team borrows idle capacity."
        ),
    ] = ()
    fair_share_weight: Annotated[
        int,
        Field(ge=0, le=100, description="Weight of the team when idle nodes are distributed."),
    ] = 0
    sharing: Annotated[
        Literal["lend-and-borrow", "lend", "dont-lend"],
        Field(
            description="How the team shares idle nodes: whether it lends its own and borrows those of others."
        ),
    ] = "lend-and-borrow"
    borrow_limit_percent: Annotated[
        int,
        Field(
            ge=1,
            le=500,
            description="Maximum number of idle nodes that the team can borrow, as a percentage that HyperPod calculates.",
        ),
    ] = 50
    preempt: Annotated[
        Literal["lower-priority", "never"],
        Field(description="Whether a task preempts tasks of its team that have a lower weight."),
    ] = "lower-priority"


class TaskGovernance(Model):
    """HyperPod task governance, whose Kueue replaces ultracluster's."""

    fair_share: Annotated[
        bool,
        Field(description="Distribute idle nodes by `fair_share_weight`. False: in the order of requests."),
    ] = True
    idle_resource_sharing: Annotated[
        bool, Field(description="Allow teams to use idle nodes that are not part of any quota.")
    ] = True
    priority_classes: Annotated[
        Sequence[PriorityClass], Field(max_length=10, description="Priority classes of tasks. Default: none.")
    ] = ()
    teams: Annotated[
        Sequence[Team], Field(max_length=100, description="Teams and their quotas. Default: none.")
    ] = ()
