"""Where metrics are kept and looked at."""

from ultracluster.observability.grafana_workspace import (
    GrafanaAuthentication,
    GrafanaWorkspace,
    GrafanaWorkspaceProps,
)
from ultracluster.observability.metrics_workspace import MetricsWorkspace, MetricsWorkspaceProps

__all__ = [
    "GrafanaAuthentication",
    "GrafanaWorkspace",
    "GrafanaWorkspaceProps",
    "MetricsWorkspace",
    "MetricsWorkspaceProps",
]
