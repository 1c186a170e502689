"""Who is told of alerts, and what the services take for it."""

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
"""Severities that somebody should be told of; what is for information may be left to Grafana."""


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
    "OBS020", ERROR, "alerts go to a standard topic",
    why="AMP's alert manager and CloudWatch's alarms do not send to topics that keep an order.",
    source=_SNS, reads="observability", where="alerts",
)  # fmt: skip
def topics_are_standard(design: Design) -> Iterator[Finding]:
    """topic_arn ends in .fifo."""
    for at, receiver in _topics(design):
        if receiver.topic_arn and receiver.topic_arn.endswith(".fifo"):
            yield Finding(
                at=(*at, "topic_arn"),
                message=f"{receiver.topic_arn.rpartition(':')[2]} is a FIFO topic, which alerts cannot be sent to",
                hint="name a standard topic, or take `topic_arn` out for a new one",
            )


@rule(
    "OBS021", ERROR, "a topic is in the profile's Region",
    why="An alarm of CloudWatch notifies topics of its own Region alone, and both say the same things here.",
    source="https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html",
    reads="region observability", where="alerts",
)  # fmt: skip
def topics_are_in_the_region(design: Design) -> Iterator[Finding]:
    """The Region of topic_arn."""
    for at, receiver in _topics(design):
        region = receiver.topic_arn.split(":")[3] if receiver.topic_arn else design.profile.region
        if region != design.profile.region:
            yield Finding(
                at=(*at, "topic_arn"),
                message=f"a topic of {region}, the cluster is in {design.profile.region}",
                hint=f"name a topic of {design.profile.region}, or take `topic_arn` out for a new one",
            )


@rule(
    "OBS022", ERROR, "PagerDuty's key is a secret of the profile's Region",
    why="AMP reads the key from Secrets Manager when it sends, and a customer key of the secret with it.",
    source=_PAGERDUTY, reads="region observability", where="alerts",
)  # fmt: skip
def secrets_are_in_the_region(design: Design) -> Iterator[Finding]:
    """The Regions of secret_arn and kms_key_arn."""
    for at, receiver in _services(design):
        for key in ("secret_arn", "kms_key_arn"):
            arn = getattr(receiver, key)
            region = arn.split(":")[3] if arn else design.profile.region
            if region != design.profile.region:
                yield Finding(
                    at=(*at, key),
                    message=f"{'a secret' if key == 'secret_arn' else 'a key'} of {region}, the workspace is in "
                    f"{design.profile.region}",
                    hint=f"replicate it to {design.profile.region} and name the replica",
                )


@rule(
    "OBS023", NOTE, "AMP may read PagerDuty's key",
    why="A secret of yours says itself who reads it: without a statement for AMP nobody is paged, and nothing fails before.",
    source=_PAGERDUTY, reads="observability", where="alerts",
)  # fmt: skip
def pagerduty_is_let_in(design: Design) -> Iterator[Finding]:
    """What the stack cannot do to a secret that is not its own."""
    for at, receiver in _services(design):
        name = receiver.secret_arn.split(":secret:")[1]
        key = ", and its KMS key `kms:Decrypt`" if receiver.kms_key_arn else ""
        yield Finding(
            at=(*at, "secret_arn"),
            message=f"the policy of the secret {name} is not changed",
            hint="let aps.amazonaws.com do `secretsmanager:GetSecretValue` in the secret's policy" + key,
        )


@rule(
    "OBS024", ERROR, "mail goes to people who subscribe to a new topic",
    why="Who subscribes to a topic of yours is decided where it is made.",
    source="https://docs.aws.amazon.com/sns/latest/dg/sns-email-notifications.html",
    reads="observability", where="alerts",
)  # fmt: skip
def mail_goes_to_a_new_topic(design: Design) -> Iterator[Finding]:
    """Emails beside topic_arn."""
    for at, receiver in _topics(design):
        if receiver.topic_arn and receiver.emails:
            yield Finding(
                at=(*at, "emails"),
                message=f"addresses beside a topic that exists, {receiver.topic_arn.rpartition(':')[2]}",
                hint="subscribe them to that topic yourself, or take `topic_arn` out for a new one",
            )


@rule(
    "OBS025", ERROR, "each receiver is told something of its own",
    why="A second receiver for the same place tells everything twice.",
    source=_SNS, reads="observability", where="alerts",
)  # fmt: skip
def receivers_differ(design: Design) -> Iterator[Finding]:
    """Two that are one place."""
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
                message=f"{place[1]} is told by receiver {seen[place]} already",
                hint="take one of the two out",
            )
        seen.setdefault(place, i)


@rule(
    "OBS026", NOTE, "somebody is told of alerts",
    why="AMP evaluates rules without a receiver as well, and tells nobody.",
    source=f"{_AMP}/AMP-alert-manager.html", reads="observability", where="alerts",
)  # fmt: skip
def somebody_is_told(design: Design) -> Iterator[Finding]:
    """`receivers: []`, and severities that no receiver has."""
    wanted = _wanted(design)
    if not isinstance(wanted.prometheus, ManagedPrometheus):
        return
    if not wanted.alerts.receivers:
        yield Finding(
            at=_AT,
            message="no receiver: alerts are seen in Grafana alone",
            hint="add `{kind: sns, emails: [...]}`",
        )
        return
    told = {severity for receiver in wanted.alerts.receivers for severity in receiver.severities}
    for severity in _WATCHED:
        if severity not in told:
            yield Finding(
                at=_AT,
                message=f"no receiver is told of what is {severity}: it is seen in Grafana alone",
                hint=f"add `{severity}` to the `severities` of one, or a receiver for it",
            )


@rule(
    "OBS037", NOTE, "somebody is told of CloudWatch's alarms",
    why="What no rule sees is an alarm of CloudWatch: samples that AMP throws away, and file systems where no node asks "
    "for their metrics. Alarms notify topics of SNS and know no PagerDuty.",
    source="https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html",
    reads="observability", where="alerts",
)  # fmt: skip
def alarms_have_a_topic(design: Design) -> Iterator[Finding]:
    """Receivers, and none of them a topic that is told of warnings."""
    wanted = _wanted(design)
    if not isinstance(wanted.prometheus, ManagedPrometheus) or not wanted.alerts.receivers:
        return
    if not any("warning" in receiver.severities for _, receiver in _topics(design)):
        yield Finding(
            at=_AT,
            message="CloudWatch's alarms, such as AmpDiscardedSamples, tell nobody: no topic is told of warnings",
            hint="add `{kind: sns, severities: [warning]}`; PagerDuty can subscribe to its topic",
        )
