"""Observability plan of a profile: metrics, alerts, dashboards and node repair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from config.design.capacity.groups import GroupPlan
from config.design.collector import Collector, collector_of
from config.design.nodes.repair.policy import RepairPolicy, policy_of
from config.design.observability.alerts.alertmanager import AlertManager, plan_alert_manager
from config.design.observability.alerts.cloudwatch import DISCARDED, CloudWatchPlan, plan_cloudwatch
from config.design.observability.alerts.plan import AlertPlan, plan_alerts
from config.design.observability.alerts.text import rules_text
from config.design.observability.collection.counters import counters
from config.design.observability.collection.measured import measured
from config.design.observability.model import Dashboard, Measured
from config.design.storage.lustre import LustrePlan
from config.design.workload.checkpoint_plan import CheckpointPlan
from config.profile.model import Profile
from config.profile.observability.alerts import SnsReceiver
from config.profile.observability.metrics import ManagedPrometheus, Observability

if TYPE_CHECKING:
    from config.design.observability.grafana_content import GrafanaContent

_NO_ALERTS = AlertPlan(groups=(), left_out=())

RULES = "rules"
"""The metric table lists the service that evaluates rules as an exporter with this name."""


@dataclass(frozen=True, kw_only=True)  # without slots, since cached_property needs a __dict__
class ObservabilityPlan:
    """Observability plan of a cluster.

    `managed`: metrics are stored in AMP, which evaluates the rules and sends alerts. `file_systems`: names of
    the FSx for Lustre file systems. `watched`: file systems with CloudWatch alarms, since no node collects
    their metrics.
    """

    wanted: Observability
    region: str
    managed: bool
    collector: Collector
    measured: Measured
    alerts: AlertPlan
    repair: RepairPolicy
    file_systems: tuple[str, ...]
    watched: tuple[str, ...]
    scraper: str | None = field(repr=False)

    @cached_property
    def rules(self) -> str | None:
        """Return the rules file; None if there are no rules."""
        return rules_text(self.alerts.groups) if self.alerts.groups else None

    @property
    def counters(self) -> str | None:
        """Return the counters file of DCGM's exporter; None if there are no GPUs."""
        return counters(self.measured) if "dcgm" in self.measured.exporters else None

    @property
    def new_topics(self) -> tuple[SnsReceiver, ...]:
        """Return the receivers whose topic the stack creates; empty if the cluster does not send alerts."""
        if not self.managed and not self.watched:
            return ()
        receivers = self.wanted.alerts.receivers
        return tuple(one for one in receivers if isinstance(one, SnsReceiver) and one.topic_arn is None)

    def alert_manager(self, topic_arns: Sequence[str | None]) -> AlertManager | None:
        """Return the alert manager for these topics of the receivers; None if there are no receivers."""
        return plan_alert_manager(self.wanted.alerts, region=self.region, topic_arns=topic_arns)

    def alarms(self, file_system_ids: Mapping[str, str]) -> CloudWatchPlan:
        """Return the CloudWatch alarms; `file_system_ids` are the ids by name."""
        ids = {name: file_system_ids[name] for name in self.watched}
        return plan_cloudwatch(self.measured, self.wanted.alerts, ids, managed=self.managed)

    def content(self) -> GrafanaContent | None:
        """Return the content for Grafana; None if there is no Grafana."""
        # import dashboards only here: they are many modules that a plan does not need
        from config.design.observability.grafana_content import plan_content

        return plan_content(self.wanted, self.shown, region=self.region)

    def dashboards(self) -> tuple[Dashboard, ...]:
        """Return the dashboards, with UIDs for the Grafana of the profile, or default UIDs."""
        from config.design.observability.dashboards import plan_dashboards
        from config.design.observability.grafana_content import places_of

        places = places_of(self.wanted, self.measured.cluster) if self.wanted.grafana else None
        return plan_dashboards(self.shown, places)

    @property
    def shown(self) -> Measured:
        """Return the metrics that panels can query, including alerts if AMP evaluates the rules."""
        exporters = self.measured.exporters | ({RULES} if self.managed and self.rules else frozenset())
        return replace(self.measured, exporters=exporters)


def plan_observability(
    profile: Profile,
    groups: tuple[GroupPlan, ...],
    systems: tuple[LustrePlan, ...],
    checkpoints: CheckpointPlan | None,
) -> ObservabilityPlan | None:
    """Return the plan; None for a profile without observability or without a Prometheus."""
    wanted = profile.observability
    if wanted is None or wanted.prometheus is None:
        return None
    collector = collector_of(profile)
    found = measured(profile, groups, lustre=bool(systems), checkpoints=checkpoints)
    file_systems = tuple(system.name for system in systems)
    return ObservabilityPlan(
        wanted=wanted,
        region=profile.region,
        managed=isinstance(wanted.prometheus, ManagedPrometheus),
        collector=collector,
        measured=found,
        alerts=plan_alerts(found, wanted.alerts) if found.exporters else _NO_ALERTS,
        repair=policy_of(profile),
        file_systems=file_systems,
        watched=() if "fsx" in found.exporters else file_systems,
        scraper=_scraper(profile, groups, file_systems) if collector == "managed" else None,
    )


def _scraper(profile: Profile, groups: tuple[GroupPlan, ...], file_systems: Sequence[str]) -> str:
    # import the Kubernetes design only for Kubernetes clusters
    from config.design.observability.collection.kubernetes import scraper_text

    return scraper_text(profile, groups, file_systems)


def unknown_ids(names: Sequence[str]) -> Mapping[str, str]:
    """Return a map of each name to itself, because a cluster that is not deployed has no file system ids."""
    return {name: name for name in names}


def is_discarded(alarm_name: str) -> bool:
    """Return whether a CloudWatch alarm is the alarm for samples that AMP discards."""
    return alarm_name == DISCARDED
