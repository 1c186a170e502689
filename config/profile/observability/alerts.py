"""Profile models for the receivers of alerts and for automatic node repair."""

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
    """An SNS topic, new or existing."""

    kind: Literal["sns"]
    topic_arn: Annotated[
        str | None,
        Field(pattern=TOPIC_ARN, description="ARN of an existing topic; default: a new encrypted topic."),
    ] = None
    emails: Annotated[
        Sequence[Annotated[str, Field(pattern=EMAIL, max_length=254)]],
        Field(
            max_length=100,
            description="Email addresses that subscribe to the new topic; each must confirm by email.",
        ),
    ] = ()
    severities: Annotated[
        Sequence[Severity],
        Field(min_length=1, max_length=3, description="Severities of the alerts that it receives."),
    ] = ("critical", "warning")


class PagerDutyReceiver(Model):
    """A PagerDuty service (Events API v2)."""

    kind: Literal["pagerduty"]
    secret_arn: Annotated[
        str, Field(pattern=SECRET_ARN, description="ARN of the secret that contains the routing key.")
    ]
    secret_key: Annotated[
        str,
        Field(
            min_length=1,
            max_length=256,
            description="Key in the secret's JSON that contains the routing key.",
        ),
    ] = "routing_key"
    kms_key_arn: Annotated[
        str | None,
        Field(pattern=KMS_KEY_ARN, description="Customer managed KMS key of the secret, if it has one."),
    ] = None
    severities: Annotated[
        Sequence[Severity],
        Field(min_length=1, max_length=3, description="Severities of the alerts that it receives."),
    ] = ("critical",)


Receiver = Annotated[SnsReceiver | PagerDutyReceiver, Field(discriminator="kind")]


class Alerts(Model):
    """Receivers, thresholds and selection of alerts."""

    receivers: Annotated[Sequence[Receiver], Field(max_length=10, description="Receivers of alerts.")] = (
        SnsReceiver.model_construct(kind="sns"),
    )
    off: Annotated[
        Sequence[Annotated[str, Field(pattern=ALERT)]],
        Field(max_length=100, description="Names of alerts to turn off (docs/alerts.md lists them)."),
    ] = ()
    thresholds: Annotated[
        dict[Annotated[str, Field(pattern=ALERT)], float],
        Field(description="Thresholds that replace the defaults, by alert name: {LustreTargetFull: 80}."),
    ] = {}  # noqa: RUF012 - a model's default, frozen with it
    repeat_hours: Annotated[
        int,
        Field(
            ge=1, le=120, description="Hours until the notification of an alert that still fires is repeated."
        ),
    ] = 4
    runbook_url: Annotated[
        str | None,
        Field(
            pattern=URL,
            description="URL where your receivers can read docs/alerts.md; each message links to its alert there. "
            "Default: the file name docs/alerts.md.",
        ),
    ] = None


RepairStep = Literal["none", "report", "reboot", "replace"]


class Repair(Model):
    """Repair of faulty nodes, as far as the control plane supports it."""

    max_nodes_at_once: Annotated[
        int,
        Field(
            ge=1,
            le=1000,
            description="Maximum number of nodes of a group that are in repair at the same time.",
        ),
    ] = 1
    none_in_last_hours: Annotated[
        int,
        Field(
            ge=0,
            le=720,
            description="Number of hours before the end of a Capacity Block or training plan in which faults are only "
            "reported: nodes are not rebooted or replaced.",
        ),
    ] = 2
    actions: Annotated[
        dict[Annotated[str, Field(pattern=CONDITION)], RepairStep],
        Field(
            description="Actions that replace the defaults, by condition (docs/repair.md lists them): {xid-74: reboot}."
        ),
    ] = {}  # noqa: RUF012 - a model's default, frozen with it
