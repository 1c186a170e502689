"""Profile keys of job admission, team shares and placement."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import Model, Name, Sequence

Scheduler = Literal["kueue", "volcano", "kai"]

MOST = 54_064
"""Number of GPUs in the largest possible group, which is the maximum of the values in a share."""

Amount = Annotated[int | None, Field(ge=0, le=MOST)]
Minutes = Annotated[int, Field(ge=1, le=1440)]


class Share(Model):
    """A team's share of one group, in whole nodes or in GPUs."""

    group: Annotated[
        Name | None, Field(description="Compute group of the share. Default: the only compute group.")
    ] = None
    nodes: Annotated[Amount, Field(description="Number of nodes. Set either `nodes` or `gpus`.")] = None
    gpus: Annotated[
        Amount,
        Field(description="Number of GPUs, with the same fraction of all other resources of their nodes."),
    ] = None
    borrow: Annotated[
        Amount,
        Field(
            description="Maximum idle capacity that the team can borrow from others, in nodes or GPUs like the share. "
            "Default: all of it."
        ),
    ] = None
    lend: Annotated[
        Amount,
        Field(
            description="Maximum part of this share that others can use while it is idle, in nodes or GPUs like the share. Default: all of it."
        ),
    ] = None


class Team(Model):
    """A group of users who share a namespace and a part of the capacity."""

    name: Annotated[Name, Field(description="Name of the team and of its queue.")]
    namespace: Annotated[
        Name | None, Field(description="Kubernetes namespace of the team's jobs. Default: the team's name.")
    ] = None
    shares: Annotated[
        Sequence[Share],
        Field(
            max_length=64,
            description="Guaranteed capacity of the team. Default: none; the team uses idle capacity.",
        ),
    ] = ()
    weight: Annotated[
        int, Field(ge=1, le=1000, description="Weight of the team when idle nodes are distributed.")
    ] = 1


class Priority(Model):
    """A priority that jobs can name; jobs without a priority have the value 0."""

    name: Annotated[Name, Field(description="Name of the priority.")]
    value: Annotated[
        int,
        Field(
            ge=-1_000_000,
            le=1_000_000,
            description="Value of the priority; its bounds are -1000000 and 1000000. Jobs with a higher value "
            "start first.",
        ),
    ]


class Preemption(Model):
    """Preemption rules of the scheduler."""

    within_team: Annotated[
        Literal["lower-priority", "never"],
        Field(
            description="Jobs that a job of the same team can preempt: those of a lower priority, or none."
        ),
    ] = "lower-priority"
    reclaim: Annotated[
        Literal["any", "lower-priority", "never"],
        Field(
            description="Borrowing jobs that are preempted when a team reclaims its share: any, only those of a "
            "lower priority, or none."
        ),
    ] = "any"


class KueueSettings(Model):
    """Settings that only Kueue supports."""

    ready_minutes: Annotated[
        Minutes,
        Field(
            description="Minutes within which all pods of an admitted job must run. Otherwise Kueue returns the "
            "job to the queue."
        ),
    ] = 30
    recovery_minutes: Annotated[
        Minutes, Field(description="Minutes within which a job that lost a pod must have all its pods again.")
    ] = 30
    queueing: Annotated[
        Literal["best-effort-fifo", "strict-fifo"],
        Field(
            description="strict-fifo: a job that does not fit delays the jobs behind it, so that large jobs can start; best-effort-fifo: smaller jobs can start first."
        ),
    ] = "best-effort-fifo"
    fair_sharing: Annotated[
        bool, Field(description="Distribute idle capacity by team weights instead of order of arrival.")
    ] = False


class KaiSettings(Model):
    """Settings that only the KAI scheduler supports."""

    preempt_after_minutes: Annotated[
        int,
        Field(
            ge=0,
            le=1440,
            description="Minutes that a job runs before a job of a higher priority can preempt it.",
        ),
    ] = 0
    reclaim_after_minutes: Annotated[
        int,
        Field(
            ge=0,
            le=1440,
            description="Minutes that a borrowing job runs before a team can reclaim its share.",
        ),
    ] = 0


NvlinkDomain = Literal["gpu-clique", "capacity-block", "ultraserver"]


class Scheduling(Model):
    """Teams, shares, priorities and job placement."""

    teams: Annotated[
        Sequence[Team],
        Field(
            max_length=50,
            description="Teams and their shares. Default: no teams; one queue with all capacity in the namespace "
            "`training`.",
        ),
    ] = ()
    priorities: Annotated[
        Sequence[Priority] | None,
        Field(
            max_length=32,
            description="Priorities of jobs. Default: `low` (-100) and `high` (100); under kai, those of its chart.",
        ),
    ] = None
    preemption: Preemption = Field(
        default_factory=Preemption, description="Rules for the preemption of running jobs."
    )
    topology: Annotated[
        Literal["network", "hosts"] | None,
        Field(
            description="network: jobs are placed under as few network switches as possible, by node labels that "
            "AWS sets; hosts: jobs are placed on whole nodes, and the network is ignored. Default: "
            "network, if EC2 reports the network layers of the instance type."
        ),
    ] = None
    nvlink_domain: Annotated[
        NvlinkDomain | None,
        Field(
            description="Node label that identifies an UltraServer: gpu-clique (set by GPU feature discovery), `capacity-block`, or ultraserver (only on HyperPod). Default: ultraserver under "
            "hyperpod-eks, gpu-clique under eks."
        ),
    ] = None
    kueue: KueueSettings = Field(default_factory=KueueSettings, description="Settings of Kueue.")
    kai: KaiSettings = Field(default_factory=KaiSettings, description="Settings of KAI.")
