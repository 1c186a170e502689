"""Alert manager definition of a cluster, as data and in the format of AMP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from config.design.observability.alerts.messages import MESSAGE, SUBJECT
from config.profile.observability.alerts import Alerts, PagerDutyReceiver, SnsReceiver

GROUP_BY = ("cluster", "alertname")
"""Labels that group alerts, so that a fault of many nodes is one message."""
PLACE = ("cluster", "node", "family", "dimension_FileSystemId", "run")
"""Labels that locate a fault. A critical alert inhibits a warning of its family if these labels have the same
values."""
NO_RECEIVER = "nobody"
_REFRESH = "5m"


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertManager:
    """Alertmanager configuration of a cluster."""

    config: Mapping[str, Any] = field(hash=False)

    def text(self) -> str:
        """Return the configuration as AMP reads it, with PagerDuty keys in Secrets Manager."""
        return _dumped(self.config)

    def wrapped(self) -> str:
        """Return the definition for AMP: the configuration as text under the key `alertmanager_config`.

        https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-alertmanager-config.html
        """
        block = "".join(f"  {line}\n" if line else "\n" for line in self.text().splitlines())
        return f"alertmanager_config: |\n{block}"

    def unwrapped(self, routing_key: str = "0123456789abcdef0123456789abcdef") -> str:
        """Return the configuration for an existing Alertmanager, which needs the PagerDuty key itself."""
        receivers = [_stubbed(receiver, routing_key) for receiver in self.config["receivers"]]
        return _dumped({**self.config, "receivers": receivers})


def plan_alert_manager(
    wanted: Alerts, *, region: str, topic_arns: Sequence[str | None]
) -> AlertManager | None:
    """Return the alert manager of a cluster; None if there are no receivers.

    `topic_arns` has one item for each receiver: the topic of an SNS receiver, whose ARN may be known only at
    deployment, or None.
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
        severities = "|".join(receiver.severities)
        routes.append({"receiver": name, "matchers": [f'severity=~"{severities}"'], "continue": True})
    config = {
        "route": {
            "receiver": NO_RECEIVER,
            "group_by": list(GROUP_BY),
            "group_wait": "30s",
            "group_interval": "5m",
            "repeat_interval": f"{wanted.repeat_hours}h",
            "routes": routes,
        },
        "inhibit_rules": _inhibitions(),
        "receivers": [{"name": NO_RECEIVER}, *receivers],
    }
    return AlertManager(config=config)


def _sns(receiver: SnsReceiver, region: str, topic: str | None) -> dict[str, Any]:
    arn = receiver.topic_arn or topic
    if arn is None:
        raise ValueError("an SNS receiver needs a topic")
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
                "details": {"alerts": MESSAGE},
            }
        ]
    }


def _inhibitions() -> list[dict[str, Any]]:
    """Return the inhibition rules: NodeLost inhibits other alerts of the node, critical inhibits warning."""
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
