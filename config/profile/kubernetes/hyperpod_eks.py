"""Profile keys of SageMaker HyperPod with an EKS control plane."""

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
    """Autoscaling by Karpenter, which HyperPod operates.

    Groups scale up from 0 nodes for pending pods, and back down to 0.
    """

    groups: Annotated[
        Sequence[Name],
        Field(min_length=1, max_length=10, description="Groups that Karpenter scales, each with `count: 0`."),
    ]
    max_gpus: Annotated[
        int | None,
        Field(
            ge=1,
            le=100_000,
            description="Maximum number of GPUs of all autoscaled nodes. Default: no limit.",
        ),
    ] = None
    consolidate_after_s: Annotated[
        int, Field(ge=0, le=86400, description="Seconds without pods after which a node is removed.")
    ] = 300


class TieredCheckpointing(Model):
    """Managed tiered checkpointing, which keeps checkpoints in node memory in addition to storage."""

    memory_percent: Annotated[
        int, Field(ge=20, le=100, description="Share of each node's memory for checkpoints, in percent.")
    ]


Lifecycle = Annotated[Bootstrap | CustomerManaged, Field(discriminator="kind")]


class HyperPodEks(Kubernetes):
    """SageMaker HyperPod with a Kubernetes control plane of Amazon EKS."""

    kind: Literal["hyperpod-eks"]
    provisioning: Annotated[
        Literal["all-at-once", "continuous"],
        Field(
            description="all-at-once: the cluster is complete when all nodes are running; continuous: HyperPod "
            "adds nodes as capacity becomes available, and the cluster can be complete before it has "
            "nodes."
        ),
    ] = "all-at-once"
    node_recovery: NodeRecovery = "automatic"
    lifecycle: Annotated[
        Lifecycle | None,
        Field(
            description="Lifecycle scripts that run on a node before it joins the cluster. Default: ultracluster's "
            "scripts."
        ),
    ] = None
    health_agent_image: Annotated[
        str | None,
        Field(
            pattern=CONTAINER_IMAGE,
            max_length=512,
            description="Image of the health monitoring agent. Default: HyperPod's own image, in the Regions that "
            "its chart supports.",
        ),
    ] = None
    autoscaling: Annotated[
        Autoscaling | None, Field(description="Groups that scale with pending pods. Default: none.")
    ] = None
    tiered_checkpointing: Annotated[
        TieredCheckpointing | None,
        Field(description="Checkpoints in the memory of nodes. Default: none."),
    ] = None
    task_governance: Annotated[
        TaskGovernance | None,
        Field(
            description="Kueue as HyperPod's add-on, with quotas for teams. Default: ultracluster's own Kueue."
        ),
    ] = None
    training_operator: Annotated[
        TrainingOperator | None, Field(description="HyperPod's training operator. Default: not installed.")
    ] = None
    inference_operator: Annotated[
        InferenceOperator | None, Field(description="HyperPod's inference operator. Default: not installed.")
    ] = None
    observability_addon: Annotated[
        ObservabilityAddon | None,
        Field(description="HyperPod's metric collectors. Default: ultracluster's own collectors."),
    ] = None
