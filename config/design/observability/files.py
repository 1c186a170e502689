"""What is generated for metrics as files, for a Prometheus, an Alertmanager and a Grafana of one's own."""

from __future__ import annotations

import json
from collections.abc import Mapping

from config.design.capacity.groups import GroupPlan
from config.design.nodes.scripts import NodeScriptsPlan
from config.design.observability.plan import ObservabilityPlan
from config.design.storage.lustre import name_of, stated_lustre
from config.profile.kubernetes.base import Kubernetes
from config.profile.model import Profile
from config.profile.observability.alerts import SnsReceiver
from config.profile.storage.lustre import ExistingLustre

UNKNOWN = "replaceme"
"""Stands for what only a deployment knows."""


def metrics_files(
    profile: Profile,
    groups: tuple[GroupPlan, ...],
    plan: ObservabilityPlan,
    scripts: NodeScriptsPlan | None,
) -> Mapping[str, str]:
    """The files by name, in the order of their names; `scripts` are those of a cluster with Slurm."""
    manager = plan.alert_manager([_topic(profile, plan, one) for one in plan.wanted.alerts.receivers])
    files = {
        "alert-manager-definition.yaml": manager.wrapped() if manager else None,
        "alertmanager.yaml": manager.unwrapped(UNKNOWN) if manager else None,
        "counters.csv": plan.counters,
        "rules.yaml": plan.rules,
        "scrape.yaml": _scrape(profile, groups, plan, scripts),
    }
    for dashboard in plan.dashboards():
        files[f"dashboards/{dashboard.uid}.json"] = (
            json.dumps(dashboard.body, indent=1, sort_keys=True) + "\n"
        )
    return {name: text for name, text in sorted(files.items()) if text is not None}


def _topic(profile: Profile, plan: ObservabilityPlan, receiver: object) -> str | None:
    """The topic of a receiver; of a new one the name that it will have."""
    if not isinstance(receiver, SnsReceiver):
        return None
    if receiver.topic_arn is not None:
        return receiver.topic_arn
    # nobody makes one for a Prometheus of one's own
    name = topic_name(profile.name, receiver) if receiver in plan.new_topics else UNKNOWN
    from config.design.kubernetes.csi import partition_of  # a stack of another control plane loads none of it

    return f"arn:{partition_of(profile.region)}:sns:{profile.region}:{profile.account or UNKNOWN}:{name}"


def topic_name(cluster: str, receiver: SnsReceiver) -> str:
    """The name of a new topic: the cluster's, and what it is told."""
    return f"{cluster}-{told_of(receiver)}"


def told_of(receiver: SnsReceiver) -> str:
    """What a topic is told, as a name: no two new ones are told the same (OBS025)."""
    return "-".join(sorted(receiver.severities))


def _scrape(
    profile: Profile,
    groups: tuple[GroupPlan, ...],
    plan: ObservabilityPlan,
    scripts: NodeScriptsPlan | None,
) -> str | None:
    """What is asked for its metrics, by AMP's collector or by agents; None where nothing is collected."""
    if plan.collector == "none":
        return None
    if isinstance(profile.orchestrator, Kubernetes):
        from config.design.kubernetes.steps import filled
        from config.design.observability.collection.kubernetes import scraper_text

        text = scraper_text(profile, groups, plan.file_systems)
        known = _file_system_ids(profile)
        return str(filled(text, lambda _, name: known.get(name, f"fs-{UNKNOWN}-{name}"))) + "\n"
    return scripts.files.get("prometheus.yml") if scripts else None


def _file_system_ids(profile: Profile) -> dict[str, str]:
    """Ids that the profile states."""
    return {
        name_of(lustre): lustre.file_system_id
        for lustre in stated_lustre(profile)
        if isinstance(lustre, ExistingLustre)
    }
