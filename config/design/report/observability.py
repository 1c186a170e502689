"""The observability report of a plan."""

from __future__ import annotations

from dataclasses import dataclass

from config.design.capacity.groups import GroupPlan
from config.design.observability.plan import ObservabilityPlan, unknown_ids
from config.design.observability.series import samples_a_day, series_of
from config.profile.observability.alerts import Receiver, SnsReceiver
from config.profile.observability.metrics import ExistingGrafana, ExistingPrometheus, Observability

_COLLECTORS = {
    "managed": "an AMP managed collector",
    "agent": "a Prometheus agent",
    "none": "not collected by ultracluster",
}
_SIGN_IN = {"saml": "SAML", "identity-center": "IAM Identity Center"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutReport:
    """An alert that the cluster does not have, and the reason."""

    alert: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservabilityReport:
    """Metrics, alerts, receivers and dashboards of a cluster.

    `series` estimates the active series of the nodes from the metric table and the instance types.
    `samples_a_day` follows from `series`, and AMP bills by samples. `alarms` are CloudWatch alarms for
    conditions that Prometheus rules cannot detect.
    """

    kept_in: str
    collector: str
    interval_s: int
    exporters: tuple[str, ...]
    series: int
    samples_a_day: int
    alerts: int
    left_out: tuple[LeftOutReport, ...]
    alarms: tuple[str, ...]
    receivers: tuple[str, ...]
    dashboards_in: str | None
    most_nodes_in_repair: int
    no_repair_in_last_hours: int


def observability_report(groups: tuple[GroupPlan, ...], plan: ObservabilityPlan) -> ObservabilityReport:
    """Return the report of an observability plan."""
    interval_s = plan.measured.interval_s
    return ObservabilityReport(
        kept_in=_kept_in(plan.wanted),
        collector=_COLLECTORS[plan.collector if plan.measured.exporters else "none"],
        interval_s=interval_s,
        exporters=tuple(sorted(plan.measured.exporters - {"agent"})),
        series=series_of(groups, plan),
        samples_a_day=samples_a_day(groups, plan),
        alerts=len({rule.name for rule in plan.alerts.alerts}),
        left_out=tuple(LeftOutReport(alert=one.name, reason=one.reason) for one in plan.alerts.left_out),
        alarms=tuple(alarm.name for alarm in plan.alarms(unknown_ids(plan.watched)).alarms),
        receivers=tuple(_receiver(one, plan) for one in plan.wanted.alerts.receivers),
        dashboards_in=_shown_in(plan.wanted),
        most_nodes_in_repair=plan.repair.max_nodes_at_once,
        no_repair_in_last_hours=plan.repair.none_in_last_hours,
    )


def _kept_in(wanted: Observability) -> str:
    prometheus = wanted.prometheus
    if isinstance(prometheus, ExistingPrometheus):
        return prometheus.remote_write_url
    days = prometheus.retention_days if prometheus else 0
    return f"an Amazon Managed Service for Prometheus (AMP) workspace, for {days} days"


def _shown_in(wanted: Observability) -> str | None:
    grafana = wanted.grafana
    if grafana is None:
        return None
    if isinstance(grafana, ExistingGrafana):
        return grafana.url
    place = f" in {grafana.region}" if grafana.region else ""
    return f"Amazon Managed Grafana{place}; users sign in with {_SIGN_IN[grafana.authentication]}"


def _receiver(receiver: Receiver, plan: ObservabilityPlan) -> str:
    severities = ", ".join(receiver.severities)
    if not isinstance(receiver, SnsReceiver):
        return f"{severities}: PagerDuty"
    if receiver.topic_arn is not None:
        return f"{severities}: SNS topic {receiver.topic_arn.rpartition(':')[2]}"
    if receiver not in plan.new_topics:
        return f"{severities}: no new topic, because your own Prometheus evaluates the rules"
    mails = (
        f"with {len(receiver.emails)} email {'address' if len(receiver.emails) == 1 else 'addresses'}"
        if receiver.emails
        else "without subscribers"
    )
    return f"{severities}: a new SNS topic {mails}"
