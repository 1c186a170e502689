"""Who is told what: the alert manager definition, as data and wrapped as AMP wants it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from config.design.observability.alerts.messages import MESSAGE, SUBJECT
from config.profile.observability.alerts import Alerts, PagerDutyReceiver, SnsReceiver

GROUP_BY = ("cluster", "alertname")
"""A fault of a hundred nodes is one message."""
PLACE = ("cluster", "node", "family", "dimension_FileSystemId", "run")
"""Where an alert is: a critical one there speaks for the warnings of its family."""
NOBODY = "nobody"
_REFRESH = "5m"


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertManager:
    """The configuration of Alertmanager for a cluster."""

    config: Mapping[str, Any] = field(hash=False)

    def text(self) -> str:
        """The configuration alone, as AMP reads it: PagerDuty's keys are in Secrets Manager."""
        return _dumped(self.config)

    def wrapped(self) -> str:
        """What AMP takes: the configuration as a block of text under a key of its own.

        https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-alertmanager-config.html
        """
        block = "".join(f"  {line}\n" if line else "\n" for line in self.text().splitlines())
        return f"alertmanager_config: |\n{block}"

    def unwrapped(self, routing_key: str = "0123456789abcdef0123456789abcdef") -> str:
        """What an Alertmanager of one's own takes: its PagerDuty wants the key itself."""
        receivers = [_stubbed(receiver, routing_key) for receiver in self.config["receivers"]]
        return _dumped({**self.config, "receivers": receivers})


def plan_alert_manager(
    wanted: Alerts, *, region: str, topic_arns: Sequence[str | None]
) -> AlertManager | None:
    """The alert manager of a cluster; None where nobody is to be told.

    `topic_arns` has a place for each receiver: the topic of one that is SNS, which may be known only when the
    stack is deployed.
    """
    if not wanted.receivers:
        return None
    receivers: list[dict[str, Any]] = []
    routes: list[dict[str, Any]] = []
    for number, (receiver, topic) in enumerate(zip(wanted.receivers, topic_arns, strict=True), start=1):
        name = f"{receiver.kind}-{number}"
        receivers.append(
            {"name": name, **_sns(receiver, region, topic)}
            if isinstance(receiver, SnsReceiver)
            else {"name": name, **_pagerduty(receiver)}
        )
        told = "|".join(receiver.severities)
        routes.append({"receiver": name, "matchers": [f'severity=~"{told}"'], "continue": True})
    config = {
        "route": {
            "receiver": NOBODY,
            "group_by": list(GROUP_BY),
            "group_wait": "30s",
            "group_interval": "5m",
            "repeat_interval": f"{wanted.repeat_hours}h",
            "routes": routes,
        },
        "inhibit_rules": _inhibitions(),
        "receivers": [{"name": NOBODY}, *receivers],
    }
    return AlertManager(config=config)


def _sns(receiver: SnsReceiver, region: str, topic: str | None) -> dict[str, Any]:
    arn = receiver.topic_arn or topic
    if arn is None:
        raise ValueError("a receiver of SNS needs a topic")
    own = receiver.topic_arn.split(":")[3] if receiver.topic_arn else region
    return {
        "sns_configs": [
            {
                "topic_arn": arn,
                "sigv4": {"region": own},
                "send_resolved": True,
                "subject": SUBJECT,
                "message": MESSAGE,
            }
        ]
    }


def _pagerduty(receiver: PagerDutyReceiver) -> dict[str, Any]:
    secret = {
        "secret_arn": receiver.secret_arn,
        "secret_key": receiver.secret_key,
        "refresh_interval": _REFRESH,
    }
    return {
        "pagerduty_configs": [
            {
                "routing_key": {"aws_secrets_manager": secret},
                "send_resolved": True,
                "severity": "{{ .CommonLabels.severity }}",
                "description": SUBJECT,
                "details": {"told": MESSAGE},
            }
        ]
    }


def _inhibitions() -> list[dict[str, Any]]:
    """A lost node speaks for all that it no longer says, a critical alert for the warnings beside it."""
    return [
        {
            "source_matchers": ['alertname="NodeLost"'],
            "target_matchers": ['alertname!="NodeLost"', 'node!=""'],
            "equal": ["cluster", "node"],
        },
        {
            "source_matchers": ['severity="critical"'],
            "target_matchers": ['severity=~"warning|info"'],
            "equal": list(PLACE),
        },
    ]


def _stubbed(receiver: Mapping[str, Any], routing_key: str) -> dict[str, Any]:
    configs = receiver.get("pagerduty_configs")
    if configs is None:
        return dict(receiver)
    return {**receiver, "pagerduty_configs": [{**one, "routing_key": routing_key} for one in configs]}


def _dumped(document: Mapping[str, Any]) -> str:
    return yaml.safe_dump(dict(document), sort_keys=False, width=100_000)
