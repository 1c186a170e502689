"""All of observability that follows from a profile: what is measured, told, shown and done about it."""

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
"""The exporter of the table that stands for whoever evaluates rules."""


@dataclass(frozen=True, kw_only=True)  # without slots: the file of rules is written once
class ObservabilityPlan:
    """What observability of a cluster is.

    `managed`: metrics are kept in AMP, which evaluates the rules and sends what they say. `file_systems` are
    the names of those of FSx for Lustre; CloudWatch watches over `watched`, which no node asks it for.
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
        """The file of rules; None where nothing is measured that they could ask."""
        return rules_text(self.alerts.groups) if self.alerts.groups else None

    @property
    def counters(self) -> str | None:
        """The counters file of DCGM's exporter; None where there are no GPUs to ask."""
        return counters(self.measured) if "dcgm" in self.measured.exporters else None

    @property
    def new_topics(self) -> tuple[SnsReceiver, ...]:
        """Receivers whose topic is to be made: those that anything sends to."""
        if not self.managed and not self.watched:
            return ()
        receivers = self.wanted.alerts.receivers
        return tuple(one for one in receivers if isinstance(one, SnsReceiver) and one.topic_arn is None)

    def alert_manager(self, topic_arns: Sequence[str | None]) -> AlertManager | None:
        """Who is told what, given the topic of each receiver that has a new one."""
        return plan_alert_manager(self.wanted.alerts, region=self.region, topic_arns=topic_arns)

    def alarms(self, file_system_ids: Mapping[str, str]) -> CloudWatchPlan:
        """CloudWatch's alarms, given the id of each file system."""
        ids = {name: file_system_ids[name] for name in self.watched}
        return plan_cloudwatch(self.measured, self.wanted.alerts, ids, managed=self.managed)

    def content(self) -> GrafanaContent | None:
        """What is loaded into Grafana."""
        # dashboards are many modules, and a plan only tells that there are some
        from config.design.observability.grafana_content import plan_content

        return plan_content(self.wanted, self.shown, region=self.region)

    def dashboards(self) -> tuple[Dashboard, ...]:
        """The dashboards as they are loaded, or as a Grafana of one's own can load them."""
        from config.design.observability.dashboards import plan_dashboards
        from config.design.observability.grafana_content import places_of

        places = places_of(self.wanted, self.measured.cluster) if self.wanted.grafana else None
        return plan_dashboards(self.shown, places)

    @property
    def shown(self) -> Measured:
        """What panels can ask: where AMP evaluates the rules, their alerts too."""
        exporters = self.measured.exporters | ({RULES} if self.managed and self.rules else frozenset())
        return replace(self.measured, exporters=exporters)


def plan_observability(
    profile: Profile,
    groups: tuple[GroupPlan, ...],
    systems: tuple[LustrePlan, ...],
    checkpoints: CheckpointPlan | None,
) -> ObservabilityPlan | None:
    """What is measured and told; None for a profile without observability or without a Prometheus."""
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
    # what plans Kubernetes is loaded for a cluster of it alone
    from config.design.observability.collection.kubernetes import scraper_text

    return scraper_text(profile, groups, file_systems)


def unknown_ids(names: Sequence[str]) -> Mapping[str, str]:
    """Names in place of file systems' ids, where nothing is deployed."""
    return {name: name for name in names}


def is_discarded(alarm_name: str) -> bool:
    """Whether an alarm of CloudWatch is the one about samples that AMP throws away."""
    return alarm_name == DISCARDED
