"""Rules for the receivers of alerts."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.model import Design
from config.diagnostics import Path
from config.profile.observability.alerts import PagerDutyReceiver, SnsReceiver
from config.profile.observability.metrics import ManagedPrometheus, Observability
from config.rules.registry import ERROR, NOTE, Finding, rule

_AMP = "https://docs.aws.amazon.com/prometheus/latest/userguide"
_SNS = f"{_AMP}/AMP-alertmanager-receiver-config.html"
_PAGERDUTY = f"{_AMP}/AMP-alertmanager-pagerduty.html"
_AT: Path = ("observability", "alerts", "receivers")
_WATCHED = ("critical", "warning")
"""Severities that need a receiver; `info` alerts may be shown in Grafana only."""


def _wanted(design: Design) -> Observability:
    return design.profile.observability or Observability()


def _topics(design: Design) -> Iterator[tuple[Path, SnsReceiver]]:
    for i, receiver in enumerate(_wanted(design).alerts.receivers):
        if isinstance(receiver, SnsReceiver):
            yield (*_AT, i), receiver


def _services(design: Design) -> Iterator[tuple[Path, PagerDutyReceiver]]:
    for i, receiver in enumerate(_wanted(design).alerts.receivers):
        if isinstance(receiver, PagerDutyReceiver):
            yield (*_AT, i), receiver


@rule(
    "OBS020", ERROR, "alerts are sent to a standard topic",
    why="The alert manager of AMP and CloudWatch alarms cannot send to FIFO topics.",
    source=_SNS, reads="observability", where="alerts",
)  # fmt: skip
def topics_are_standard(design: Design) -> Iterator[Finding]:
    """Check that no `topic_arn` ends in `.fifo`."""
    for at, receiver in _topics(design):
        if receiver.topic_arn and receiver.topic_arn.endswith(".fifo"):
            yield Finding(
                at=(*at, "topic_arn"),
                message=f"{receiver.topic_arn.rpartition(':')[2]} is a FIFO topic, which cannot receive alerts",
                hint="set `topic_arn` to a standard topic, or remove `topic_arn` to create a new topic",
            )


@rule(
    "OBS021", ERROR, "a topic is in the profile's Region",
    why="CloudWatch alarms notify topics in their own Region only. Alerts and alarms share the same topics.",
    source="https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html",
    reads="region observability", where="alerts",
)  # fmt: skip
def topics_are_in_the_region(design: Design) -> Iterator[Finding]:
    """Check the Region of `topic_arn`."""
    for at, receiver in _topics(design):
        region = receiver.topic_arn.split(":")[3] if receiver.topic_arn else design.profile.region
        if region != design.profile.region:
            yield Finding(
                at=(*at, "topic_arn"),
                message=f"the topic is in {region}, but the cluster is in {design.profile.region}",
                hint=f"set `topic_arn` to a topic in {design.profile.region}, or remove `topic_arn` to create a new topic",
            )


@rule(
    "OBS022", ERROR, "the secret with PagerDuty's routing key is in the profile's Region",
    why="AMP reads the secret from Secrets Manager in the Region of the workspace, and decrypts the secret with its KMS key.",
    source=_PAGERDUTY, reads="region observability", where="alerts",
)  # fmt: skip
def secrets_are_in_the_region(design: Design) -> Iterator[Finding]:
    """Check the Regions of `secret_arn` and `kms_key_arn`."""
    for at, receiver in _services(design):
        for key in ("secret_arn", "kms_key_arn"):
            arn = getattr(receiver, key)
            region = arn.split(":")[3] if arn else design.profile.region
            if region != design.profile.region:
                yield Finding(
                    at=(*at, key),
                    message=f"the {'secret' if key == 'secret_arn' else 'KMS key'} is in {region}, but the workspace is in "
                    f"{design.profile.region}",
                    hint=f"replicate the secret or key to {design.profile.region} and set `{key}` to the replica",
                )


@rule(
    "OBS023", NOTE, "the secret's policy allows AMP to read PagerDuty's routing key",
    why="The resource policy of the secret must allow AMP to read the secret. If the policy does not, the deployment succeeds, "
    "but PagerDuty does not get alerts.",
    source=_PAGERDUTY, reads="observability", where="alerts",
)  # fmt: skip
def amp_may_read_the_pagerduty_key(design: Design) -> Iterator[Finding]:
    """Report secrets whose resource policy the user must change, because the stack does not change it."""
    for at, receiver in _services(design):
        name = receiver.secret_arn.split(":secret:")[1]
        key = ", and `kms:Decrypt` in the policy of its KMS key" if receiver.kms_key_arn else ""
        yield Finding(
            at=(*at, "secret_arn"),
            message=f"the policy of the secret {name} must allow AMP to read the secret, and ultracluster does not change that "
            "policy",
            hint="allow aps.amazonaws.com `secretsmanager:GetSecretValue` in the secret's policy" + key,
        )


@rule(
    "OBS024", ERROR, "email addresses are set only for a new topic",
    why="ultracluster does not change the subscriptions of an existing topic.",
    source="https://docs.aws.amazon.com/sns/latest/dg/sns-email-notifications.html",
    reads="observability", where="alerts",
)  # fmt: skip
def emails_are_for_a_new_topic(design: Design) -> Iterator[Finding]:
    """Check that `emails` and `topic_arn` are not combined."""
    for at, receiver in _topics(design):
        if receiver.topic_arn and receiver.emails:
            yield Finding(
                at=(*at, "emails"),
                message=f"`emails` cannot be combined with the existing topic {receiver.topic_arn.rpartition(':')[2]}",
                hint="subscribe the addresses to that topic yourself, or remove `topic_arn` to create a new topic",
            )


@rule(
    "OBS025", ERROR, "each receiver has a different destination",
    why="Two receivers with the same destination send each alert twice.",
    source=_SNS, reads="observability", where="alerts",
)  # fmt: skip
def receivers_differ(design: Design) -> Iterator[Finding]:
    """Check that each destination has one receiver."""
    seen: dict[tuple[str, str], int] = {}
    for i, receiver in enumerate(_wanted(design).alerts.receivers):
        if isinstance(receiver, PagerDutyReceiver):
            place, key = ("pagerduty", f"{receiver.secret_arn} {receiver.secret_key}"), "secret_arn"
        else:
            severities = " and ".join(sorted(receiver.severities))
            place, key = ("sns", receiver.topic_arn or f"a new topic for {severities}"), "severities"
        if place in seen:
            yield Finding(
                at=(*_AT, i, key),
                message=f"this receiver and receiver {seen[place]} both send to {place[1]}",
                hint="remove one of the two receivers",
            )
        seen.setdefault(place, i)


@rule(
    "OBS026", NOTE, "alerts have a receiver",
    why="AMP also evaluates rules without a receiver, but then sends no notification.",
    source=f"{_AMP}/AMP-alert-manager.html", reads="observability", where="alerts",
)  # fmt: skip
def severities_have_a_receiver(design: Design) -> Iterator[Finding]:
    """Check that each important severity has a receiver."""
    wanted = _wanted(design)
    if not isinstance(wanted.prometheus, ManagedPrometheus):
        return
    if not wanted.alerts.receivers:
        yield Finding(
            at=_AT,
            message="`receivers` is empty: alerts are shown only in Grafana",
            hint="add `{kind: sns, emails: [...]}`",
        )
        return
    received = {severity for receiver in wanted.alerts.receivers for severity in receiver.severities}
    for severity in _WATCHED:
        if severity not in received:
            yield Finding(
                at=_AT,
                message=f"no receiver has the severity `{severity}`: these alerts are shown only in Grafana",
                hint=f"add `{severity}` to the `severities` of a receiver, or add another receiver",
            )


@rule(
    "OBS037", NOTE, "CloudWatch alarms have a topic",
    why="CloudWatch alarms report what Prometheus rules cannot see: samples that AMP discards, and file systems whose metrics no "
    "node collects. Alarms can notify SNS topics, but not PagerDuty.",
    source="https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html",
    reads="observability", where="alerts",
)  # fmt: skip
def alarms_have_a_topic(design: Design) -> Iterator[Finding]:
    """Check that at least one topic receives warnings if the profile has receivers."""
    wanted = _wanted(design)
    if not isinstance(wanted.prometheus, ManagedPrometheus) or not wanted.alerts.receivers:
        return
    if not any("warning" in receiver.severities for _, receiver in _topics(design)):
        yield Finding(
            at=_AT,
            message="CloudWatch alarms such as AmpDiscardedSamples notify no one: no SNS receiver has the severity `warning`",
            hint="add `{kind: sns, severities: [warning]}` to `receivers`; PagerDuty can subscribe to the new topic",
        )
