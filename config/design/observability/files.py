"""Generated files for an existing Prometheus, Alertmanager and Grafana."""

from __future__ import annotations

import json
from collections.abc import Mapping

from config.design.capacity.groups import GroupPlan
from config.design.nodes.scripts import NodeScriptsPlan
from config.design.observability.plan import ObservabilityPlan
from config.design.storage.lustre import declared_lustre, name_of
from config.profile.kubernetes.base import Kubernetes
from config.profile.model import Profile
from config.profile.observability.alerts import SnsReceiver
from config.profile.storage.lustre import ExistingLustre

UNKNOWN = "replaceme"
"""Placeholder for values that only a deployment knows."""


def metrics_files(
    profile: Profile,
    groups: tuple[GroupPlan, ...],
    plan: ObservabilityPlan,
    scripts: NodeScriptsPlan | None,
) -> Mapping[str, str]:
    """Return the files by name, sorted; `scripts` are the node scripts of a Slurm cluster, or None."""
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
    """Return the topic ARN of a receiver; a new topic has the ARN that the deployment will create."""
    if not isinstance(receiver, SnsReceiver):
        return None
    if receiver.topic_arn is not None:
        return receiver.topic_arn
    # the stack creates no topic for an existing Prometheus
    name = topic_name(profile.name, receiver) if receiver in plan.new_topics else UNKNOWN
    from config.design.kubernetes.csi import partition_of  # import the Kubernetes design only here

    return f"arn:{partition_of(profile.region)}:sns:{profile.region}:{profile.account or UNKNOWN}:{name}"


def topic_name(cluster: str, receiver: SnsReceiver) -> str:
    """Return the name of a new topic: the cluster's name and the severities."""
    return f"{cluster}-{severities_of(receiver)}"


def severities_of(receiver: SnsReceiver) -> str:
    """Return the severities of a topic as a name, which is unique among new topics (OBS025)."""
    return "-".join(sorted(receiver.severities))


def _scrape(
    profile: Profile,
    groups: tuple[GroupPlan, ...],
    plan: ObservabilityPlan,
    scripts: NodeScriptsPlan | None,
) -> str | None:
    """Return the scrape configuration of the collector; None with `collector: none`."""
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
    """Return the ids of file systems that the profile sets."""
    return {
        name_of(lustre): lustre.file_system_id
        for lustre in declared_lustre(profile)
        if isinstance(lustre, ExistingLustre)
    }
