"""Who admits jobs, and what each team may use."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import Model, Name, Sequence

Scheduler = Literal["kueue", "volcano", "kai"]

MOST = 54_064
"""GPUs of the largest group: no figure of a share is above."""

Amount = Annotated[int | None, Field(ge=0, le=MOST)]
Minutes = Annotated[int, Field(ge=1, le=1440)]


class Share(Model):
    """What a team has of one group for itself, in whole nodes or in GPUs."""

    group: Annotated[
        Name | None, Field(description="Compute group that it is a part of; default: the only one.")
    ] = None
    nodes: Annotated[Amount, Field(description="Nodes; either `nodes` or `gpus` is stated.")] = None
    gpus: Annotated[
        Amount, Field(description="GPUs, with the same part of everything else on their nodes.")
    ] = None
    borrow: Annotated[
        Amount,
        Field(
            description="How much more of what others leave idle the team may use, in nodes or GPUs as the share is; "
            "default: all of it."
        ),
    ] = None
    lend: Annotated[
        Amount,
        Field(
            description="How much of an idle share others may use, in nodes or GPUs as the share is; default: all of "
            "it."
        ),
    ] = None


class Team(Model):
    """People who share a namespace and a part of the machines."""

    name: Annotated[Name, Field(description="Name of the team, and of its queue.")]
    namespace: Annotated[
        Name | None, Field(description="Kubernetes namespace of its jobs; default: the team's name.")
    ] = None
    shares: Annotated[
        Sequence[Share],
        Field(
            max_length=64,
            description="What the team has for itself; default: nothing, it uses what is idle.",
        ),
    ] = ()
    weight: Annotated[
        int, Field(ge=1, le=1000, description="Its part of idle nodes, beside the weights of other teams.")
    ] = 1


class Priority(Model):
    """A priority that jobs can name; jobs without one have 0."""

    name: Annotated[Name, Field(description="Name of the priority.")]
    value: Annotated[
        int,
        Field(
            ge=-1_000_000,
            le=1_000_000,
            description="Jobs of a higher value are before others; its bounds are a million on either side of 0.",
        ),
    ]


class Preemption(Model):
    """When running jobs give way."""

    within_team: Annotated[
        Literal["lower-priority", "never"],
        Field(description="To a job of the same team: jobs of a lower priority, or none."),
    ] = "lower-priority"
    reclaim: Annotated[
        Literal["any", "lower-priority", "never"],
        Field(
            description="To a team that wants its own share back: any borrowing job, of a lower priority, or none."
        ),
    ] = "any"


class KueueSettings(Model):
    """Settings of Kueue alone."""

    ready_minutes: Annotated[
        Minutes,
        Field(
            description="Minutes in which all pods of an admitted job have to run; else it is queued again."
        ),
    ] = 30
    recovery_minutes: Annotated[
        Minutes, Field(description="Minutes in which a job that lost a pod has to be whole again.")
    ] = 30
    queueing: Annotated[
        Literal["best-effort-fifo", "strict-fifo"],
        Field(
            description="strict-fifo: a job that does not fit holds back those behind it, so that large ones start; "
            "best-effort-fifo: smaller ones go first."
        ),
    ] = "best-effort-fifo"
    fair_sharing: Annotated[
        bool, Field(description="What is idle goes to teams by their weights, not by who asks first.")
    ] = False


class KaiSettings(Model):
    """Settings of the KAI scheduler alone."""

    preempt_after_minutes: Annotated[
        int,
        Field(
            ge=0,
            le=1440,
            description="Minutes that a job runs before one of a higher priority takes its place.",
        ),
    ] = 0
    reclaim_after_minutes: Annotated[
        int,
        Field(
            ge=0, le=1440, description="Minutes that a borrowing job runs before a team reclaims its share."
        ),
    ] = 0


NvlinkDomain = Literal["gpu-clique", "capacity-block", "ultraserver"]


class Scheduling(Model):
    """Who may use what, and where the pods of a job are placed."""

    teams: Annotated[
        Sequence[Team],
        Field(
            max_length=50,
            description="Teams and their shares; default: none, one queue with everything in the namespace "
            "`training`.",
        ),
    ] = ()
    priorities: Annotated[
        Sequence[Priority] | None,
        Field(
            max_length=32,
            description="Priorities of jobs; default: `low` (-100) and `high` (100), under kai those of its chart.",
        ),
    ] = None
    preemption: Preemption = Field(
        default_factory=Preemption, description="When running jobs give way to others."
    )
    topology: Annotated[
        Literal["network", "hosts"] | None,
        Field(
            description="network: jobs are placed under as few switches as possible, by the labels that AWS gives the "
            "nodes; hosts: only onto whole nodes. Default: network where EC2 tells the layers of the type."
        ),
    ] = None
    nvlink_domain: Annotated[
        NvlinkDomain | None,
        Field(
            description="Label that tells UltraServers apart: gpu-clique (GPU feature discovery), capacity-block, or "
            "ultraserver (HyperPod alone). Default: ultraserver under hyperpod-eks, gpu-clique under eks."
        ),
    ] = None
    kueue: KueueSettings = Field(default_factory=KueueSettings, description="Settings of Kueue.")
    kai: KaiSettings = Field(default_factory=KaiSettings, description="Settings of KAI.")
