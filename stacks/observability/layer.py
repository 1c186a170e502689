"""Observability layer: AMP workspace, alerts and Grafana."""

from __future__ import annotations

from dataclasses import dataclass

from constructs import Construct

from config.design.model import Design
from config.design.observability.collection.measured import measured
from config.design.observability.files import severities_of
from config.profile.observability.metrics import ManagedPrometheus, Observability
from stacks.common import retention_of, tags_of
from stacks.foundation import NodeNetwork, SharedStorage
from stacks.nodes.metrics import workspace_arn
from stacks.observability.alerts import add_alerts, add_topics, topic_arns
from stacks.observability.grafana import GrafanaResources, add_grafana
from ultracluster.observability import AlertTopic, LoaderNetwork, MetricsWorkspace, MetricsWorkspaceProps


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservabilityResources:
    """Resources of the observability layer; each item of `topics` is a severity and a new topic."""

    metrics: MetricsWorkspace | None
    grafana: GrafanaResources | None
    topics: tuple[tuple[str, AlertTopic], ...]


def add_observability(
    scope: Construct, design: Design, wanted: Observability, node_network: NodeNetwork, storage: SharedStorage
) -> ObservabilityResources:
    """Create the workspaces of the profile, with rules, receivers and dashboards."""
    plan = design.observability
    topics = add_topics(scope, design.profile, plan) if plan else {}
    metrics = None
    if plan is not None and isinstance(wanted.prometheus, ManagedPrometheus):
        manager = plan.alert_manager(topic_arns(plan, topics)) if plan.rules else None
        metrics = _workspace(scope, design, wanted, wanted.prometheus, manager.wrapped() if manager else None)
    if plan is not None:
        add_alerts(scope, design.profile, plan, topics, metrics, storage)
    grafana = add_grafana(
        scope,
        design.profile,
        plan.shown
        if plan
        else measured(
            design.profile,
            design.groups,
            lustre=bool(design.file_systems),
            checkpoints=design.checkpoints,
        ),
        metrics_arn=workspace_arn(design, metrics.workspace_arn if metrics else None),
        metrics_endpoint=metrics.prometheus_endpoint if metrics else None,
        network=_network(node_network),
    )
    return ObservabilityResources(
        metrics=metrics,
        grafana=grafana,
        topics=tuple((severities_of(receiver), topic) for receiver, topic in topics.items()),
    )


def _workspace(
    scope: Construct,
    design: Design,
    wanted: Observability,
    prometheus: ManagedPrometheus,
    definition: str | None,
) -> MetricsWorkspace:
    return MetricsWorkspace(
        scope,
        "Metrics",
        MetricsWorkspaceProps(
            alias=design.profile.name,
            retention_days=prometheus.retention_days,
            log_retention_days=wanted.log_retention_days,
            retention=retention_of(design.profile),
            late_samples_s=prometheus.late_samples_s,
            alert_manager_definition=definition,
            kms_key_arn=prometheus.kms_key_arn,
            tags=tags_of(design.profile),
        ),
    )


def _network(node_network: NodeNetwork) -> LoaderNetwork | None:
    """Return the VPC for the loader function; None if there is no VPC."""
    if not node_network.vpc_id:
        return None
    return LoaderNetwork(vpc_id=node_network.vpc_id, subnet_ids=sorted(node_network.subnet_ids.values()))
