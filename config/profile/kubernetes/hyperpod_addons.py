"""Operators and add-ons of HyperPod on EKS, each installed only where the profile asks for it."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import Model


class TrainingOperator(Model):
    """HyperPod's training operator, which restarts processes of a job without its pods."""

    recovery: Annotated[
        Literal["checkpoint", "checkpointless", "elastic"],
        Field(
            description="How its jobs go on after a failure. checkpoint: from the last one; checkpointless: from a "
            "replica; elastic: with as many nodes as there are. One excludes the others."
        ),
    ] = "checkpoint"


class InferenceOperator(Model):
    """HyperPod's inference operator, with all that it needs: roles, a bucket for certificates, a load balancer."""

    load_balancer: Annotated[
        bool,
        Field(
            description="The add-on brings the AWS Load Balancer Controller; false: the cluster has one already."
        ),
    ] = True
    autoscaling: Annotated[
        bool, Field(description="The add-on brings KEDA, which scales endpoints; false: the cluster has it.")
    ] = True
    gated_models: Annotated[bool, Field(description="Nodes may download gated models of JumpStart.")] = False


MetricsLevel = Literal["basic", "advanced", "disabled"]


class ObservabilityAddon(Model):
    """HyperPod's observability add-on: its collectors in the place of ultracluster's."""

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
        Field(description="How much of each kind: {network: advanced}; default: basic of all."),
    ] = {}  # noqa: RUF012 - a model's default, frozen with it
    logs: Annotated[bool, Field(description="Logs of pods go to CloudWatch too.")] = False
