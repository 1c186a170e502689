"""Profile keys of HyperPod's operators and add-ons on EKS; the stack installs only those that are set."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import Model


class TrainingOperator(Model):
    """HyperPod's training operator, which restarts the processes of a job without restarting its pods."""

    recovery: Annotated[
        Literal["checkpoint", "checkpointless", "elastic"],
        Field(
            description="How jobs continue after a failure. checkpoint: from the last checkpoint, checkpointless: from a replica, elastic: with the remaining nodes. Only one mode can be used."
        ),
    ] = "checkpoint"


class InferenceOperator(Model):
    """HyperPod's inference operator with its roles, certificate bucket and load balancer."""

    load_balancer: Annotated[
        bool,
        Field(
            description="True: the add-on installs the AWS Load Balancer Controller. False: the cluster already "
            "has one."
        ),
    ] = True
    autoscaling: Annotated[
        bool,
        Field(
            description="True: the add-on installs KEDA, which scales endpoints. False: the cluster already has it."
        ),
    ] = True
    gated_models: Annotated[bool, Field(description="Allow nodes to download gated JumpStart models.")] = (
        False
    )


MetricsLevel = Literal["basic", "advanced", "disabled"]


class ObservabilityAddon(Model):
    """HyperPod's observability add-on, whose collectors replace those of ultracluster."""

    metrics: Annotated[
        dict[
            Literal[
                "training",
                "inference",
                "task-governance",
                "scaling",
                "custom",
                "node",
                "accelerated-compute",
                "network",
            ],
            MetricsLevel,
        ],
        Field(
            description="Level of detail for each metric category: {network: advanced}. Default: basic for all "
            "categories."
        ),
    ] = {}  # noqa: RUF012 - a model's default, frozen with it
    logs: Annotated[bool, Field(description="Also send pod logs to CloudWatch.")] = False
