"""The observability layer: workspaces for metrics and dashboards."""

from __future__ import annotations

from constructs import Construct

from config.design.model import Design
from config.design.observability import GRAFANA_VERSION
from config.profile.observability import Observability
from stacks.network import retention_of, tags_of
from ultracluster.observability import (
    GrafanaWorkspace,
    GrafanaWorkspaceProps,
    MetricsWorkspace,
    MetricsWorkspaceProps,
)


def add_observability(
    scope: Construct, design: Design, wanted: Observability
) -> tuple[MetricsWorkspace | None, GrafanaWorkspace | None]:
    """The workspaces that the profile asks for."""
    name = design.profile.name
    metrics = None
    if wanted.prometheus:
        metrics = MetricsWorkspace(
            scope,
            "Metrics",
            MetricsWorkspaceProps(
                alias=name,
                retention_days=wanted.prometheus.retention_days,
                log_retention_days=wanted.log_retention_days,
                retention=retention_of(design),
                tags=tags_of(design),
            ),
        )
    grafana = None
    if wanted.grafana:
        grafana = GrafanaWorkspace(
            scope,
            "Grafana",
            GrafanaWorkspaceProps(
                name=name,
                grafana_version=GRAFANA_VERSION,
                metrics_workspace_arns=[metrics.workspace_arn] if metrics else [],
                authentication="SAML" if wanted.grafana.authentication == "saml" else "AWS_SSO",
                tags=tags_of(design),
            ),
        )
    return metrics, grafana
