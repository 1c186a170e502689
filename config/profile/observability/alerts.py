"""Who is told of what goes wrong in a cluster, and what may be done about it without asking."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import (
    ALERT,
    CONDITION,
    EMAIL,
    KMS_KEY_ARN,
    SECRET_ARN,
    TOPIC_ARN,
    URL,
    Model,
    Sequence,
)

Severity = Literal["critical", "warning", "info"]


class SnsReceiver(Model):
    """A topic of SNS: a new one, or one that is there."""

    kind: Literal["sns"]
    topic_arn: Annotated[
        str | None, Field(pattern=TOPIC_ARN, description="The topic; default: a new one, encrypted.")
    ] = None
    emails: Annotated[
        Sequence[Annotated[str, Field(pattern=EMAIL, max_length=254)]],
        Field(max_length=100, description="Addresses that subscribe to a new topic; each confirms by mail."),
    ] = ()
    severities: Annotated[
        Sequence[Severity], Field(min_length=1, max_length=3, description="What it is told.")
    ] = ("critical", "warning")


class PagerDutyReceiver(Model):
    """A service of PagerDuty (Events API v2)."""

    kind: Literal["pagerduty"]
    secret_arn: Annotated[str, Field(pattern=SECRET_ARN, description="Secret with the routing key.")]
    secret_key: Annotated[
        str, Field(min_length=1, max_length=256, description="Key of the secret's JSON that holds it.")
    ] = "routing_key"
    kms_key_arn: Annotated[
        str | None, Field(pattern=KMS_KEY_ARN, description="Customer key of the secret, where it has one.")
    ] = None
    severities: Annotated[
        Sequence[Severity], Field(min_length=1, max_length=3, description="What it is told.")
    ] = ("critical",)


Receiver = Annotated[SnsReceiver | PagerDutyReceiver, Field(discriminator="kind")]


class Alerts(Model):
    """Who is told of alerts, and which alerts there are."""

    receivers: Annotated[Sequence[Receiver], Field(max_length=10, description="Who is told.")] = (
        SnsReceiver.model_construct(kind="sns"),
    )
    off: Annotated[
        Sequence[Annotated[str, Field(pattern=ALERT)]],
        Field(max_length=100, description="Alerts that are left out, by name (docs/alerts.md lists them)."),
    ] = ()
    thresholds: Annotated[
        dict[Annotated[str, Field(pattern=ALERT)], float],
        Field(description="Other thresholds, by alert: {LustreTargetFull: 80}."),
    ] = {}  # noqa: RUF012 - a model's default, frozen with it
    repeat_hours: Annotated[
        int, Field(ge=1, le=120, description="An alert that still holds is told again after so many hours.")
    ] = 4
    runbook_url: Annotated[
        str | None,
        Field(
            pattern=URL,
            description="Where those who are told can read docs/alerts.md; every message leads to its alert there. "
            "Default: that name.",
        ),
    ] = None


RepairStep = Literal["none", "report", "reboot", "replace"]


class Repair(Model):
    """What is done with faulty nodes, as far as the control plane can."""

    max_nodes_at_once: Annotated[
        int,
        Field(
            ge=1,
            le=1000,
            description="Nodes of a group that are out of work for repair at one time, at most.",
        ),
    ] = 1
    none_in_last_hours: Annotated[
        int,
        Field(
            ge=0,
            le=720,
            description="In the last hours of a reserved block nothing is rebooted or replaced, only reported.",
        ),
    ] = 2
    actions: Annotated[
        dict[Annotated[str, Field(pattern=CONDITION)], RepairStep],
        Field(description="Other actions, by condition (docs/repair.md lists them): {xid-74: reboot}."),
    ] = {}  # noqa: RUF012 - a model's default, frozen with it
