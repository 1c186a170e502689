"""When reserved machines go, and what happens before they do."""

from typing import Annotated

from pydantic import Field

from config.profile.base import CONTAINER_IMAGE, EMAIL, TOPIC_ARN, Model, Sequence

BeforeHours = Annotated[int, Field(ge=1, le=4368)]


class Reminders(Model):
    """Messages before machines go, from the clock of EventBridge."""

    before_h: Annotated[
        Sequence[BeforeHours],
        Field(min_length=1, max_length=10, description="Hours before the machines go, for each message."),
    ] = (72, 24, 2)
    emails: Annotated[
        Sequence[Annotated[str, Field(pattern=EMAIL, max_length=254)]],
        Field(max_length=100, description="Addresses that subscribe to a new topic; each confirms by mail."),
    ] = ()
    topic_arn: Annotated[
        str | None,
        Field(
            pattern=TOPIC_ARN,
            description="A topic in the place of a new one; its policy lets events.amazonaws.com publish.",
        ),
    ] = None


class Calendar(Model):
    """What is done before the machines of Capacity Blocks and training plans go."""

    longest_job_h: Annotated[
        int | None,
        Field(
            ge=1,
            le=4368,
            description="Hours that the longest job runs: the last moment to start one; default: not told.",
        ),
    ] = None
    checkpoint_before_min: Annotated[
        int | None,
        Field(
            ge=1,
            le=1440,
            description="Minutes before the machines go at which the last checkpoint begins; default: twice the time "
            "that one takes, and 10 minutes at least.",
        ),
    ] = None
    drain_min: Annotated[
        int,
        Field(
            ge=0, le=10080, description="Minutes before the machines go from which on nothing runs any more."
        ),
    ] = 30
    hold: Annotated[
        bool,
        Field(
            description="True: nothing starts that would run on: a reservation of Slurm, or nodes of Kubernetes "
            "cordoned; false: a hold of before is taken back."
        ),
    ] = True
    reminders: Annotated[
        Reminders | None, Field(description="Who is told before the machines go; default: nobody.")
    ] = None
    kubectl_image: Annotated[
        str | None,
        Field(
            pattern=CONTAINER_IMAGE,
            description="Image with kubectl for the hold in Kubernetes; default: registry.k8s.io/kubectl of the "
            "cluster's version.",
        ),
    ] = None
