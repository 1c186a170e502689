"""Profile keys for the end of Capacity Blocks and training plans."""

from typing import Annotated

from pydantic import Field

from config.profile.base import CONTAINER_IMAGE, EMAIL, TOPIC_ARN, Model, Sequence

BeforeHours = Annotated[int, Field(ge=1, le=4368)]


class Reminders(Model):
    """Reminders before a reservation ends, sent by EventBridge."""

    before_h: Annotated[
        Sequence[BeforeHours],
        Field(
            min_length=1,
            max_length=10,
            description="Hours before the nodes are terminated, one value for each reminder.",
        ),
    ] = (72, 24, 2)
    emails: Annotated[
        Sequence[Annotated[str, Field(pattern=EMAIL, max_length=254)]],
        Field(
            max_length=100,
            description="Email addresses that subscribe to a new SNS topic; each receiver must confirm the subscription.",
        ),
    ] = ()
    topic_arn: Annotated[
        str | None,
        Field(
            pattern=TOPIC_ARN,
            description="ARN of an existing SNS topic, instead of `emails`; its policy must allow events.amazonaws.com to publish.",
        ),
    ] = None


class Calendar(Model):
    """Actions before the nodes of a Capacity Block or a training plan are terminated."""

    longest_job_h: Annotated[
        int | None,
        Field(
            ge=1,
            le=4368,
            description="Run time of the longest job in hours; the plan calculates the last safe start time from it. Default: no start time.",
        ),
    ] = None
    checkpoint_before_min: Annotated[
        int | None,
        Field(
            ge=1,
            le=1440,
            description="Start of the last checkpoint, in minutes before the nodes are terminated. Default: twice the write "
            "time of a checkpoint, at least 10 minutes.",
        ),
    ] = None
    drain_min: Annotated[
        int,
        Field(
            ge=0,
            le=10080,
            description="Minutes before the nodes are terminated when all jobs must have ended.",
        ),
    ] = 30
    hold: Annotated[
        bool,
        Field(
            description="True: jobs that would run past the end do not start; Slurm uses a reservation, Kubernetes cordons "
            "the nodes. False: an existing Slurm reservation or cordon is removed."
        ),
    ] = True
    reminders: Annotated[
        Reminders | None,
        Field(description="Reminders before the nodes are terminated; default: no reminders."),
    ] = None
    kubectl_image: Annotated[
        str | None,
        Field(
            pattern=CONTAINER_IMAGE,
            description="Container image with kubectl, for `hold` in Kubernetes. Default: registry.k8s.io/kubectl in the "
            "cluster's version.",
        ),
    ] = None
