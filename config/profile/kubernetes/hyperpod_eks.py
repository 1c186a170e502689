"""SageMaker HyperPod with a Kubernetes control plane: what a profile says of it."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import CONTAINER_IMAGE, Model, Name, Sequence
from config.profile.kubernetes.base import Kubernetes
from config.profile.kubernetes.hyperpod_addons import (
    InferenceOperator,
    ObservabilityAddon,
    TrainingOperator,
)
from config.profile.kubernetes.task_governance import TaskGovernance
from config.profile.slurm.hyperpod import Bootstrap, CustomerManaged, NodeRecovery


class Autoscaling(Model):
    """Karpenter, which HyperPod runs: groups that grow with the pods that wait, and go back to none."""

    groups: Annotated[
        Sequence[Name],
        Field(min_length=1, max_length=10, description="Groups that it scales, each with `count: 0`."),
    ]
    max_gpus: Annotated[
        int | None,
        Field(
            ge=1,
            le=100_000,
            description="GPUs that all their nodes have together, at most; default: no limit.",
        ),
    ] = None
    consolidate_after_s: Annotated[
        int, Field(ge=0, le=86400, description="Seconds without pods after which a node goes.")
    ] = 300


class TieredCheckpointing(Model):
    """Checkpoints in the memory of nodes, which HyperPod keeps beside those on storage."""

    memory_percent: Annotated[
        int, Field(ge=20, le=100, description="Memory of each node that it may take, in per cent.")
    ]


Lifecycle = Annotated[Bootstrap | CustomerManaged, Field(discriminator="kind")]


class HyperPodEks(Kubernetes):
    """SageMaker HyperPod with a Kubernetes control plane of Amazon EKS."""

    kind: Literal["hyperpod-eks"]
    provisioning: Annotated[
        Literal["all-at-once", "continuous"],
        Field(
            description="all-at-once: the cluster is there when all nodes are; continuous: nodes come as there is "
            "capacity, and the cluster may be there before any of them."
        ),
    ] = "all-at-once"
    node_recovery: NodeRecovery = "automatic"
    lifecycle: Annotated[
        Lifecycle | None,
        Field(description="What runs on a node before it joins; default: ultracluster's scripts."),
    ] = None
    health_agent_image: Annotated[
        str | None,
        Field(
            pattern=CONTAINER_IMAGE,
            max_length=512,
            description="Image of the agent that watches over nodes; default: HyperPod's own, in the Regions that its "
            "chart knows.",
        ),
    ] = None
    autoscaling: Annotated[
        Autoscaling | None, Field(description="Groups that grow with the pods that wait; default: none.")
    ] = None
    tiered_checkpointing: Annotated[
        TieredCheckpointing | None,
        Field(description="Checkpoints in the memory of nodes; default: none."),
    ] = None
    task_governance: Annotated[
        TaskGovernance | None,
        Field(
            description="Kueue as HyperPod's add-on, with quotas of teams; default: none, and ultracluster's own."
        ),
    ] = None
    training_operator: Annotated[
        TrainingOperator | None, Field(description="HyperPod's training operator; default: none.")
    ] = None
    inference_operator: Annotated[
        InferenceOperator | None, Field(description="HyperPod's inference operator; default: none.")
    ] = None
    observability_addon: Annotated[
        ObservabilityAddon | None,
        Field(description="HyperPod's collectors of metrics; default: none, and ultracluster's own."),
    ] = None
