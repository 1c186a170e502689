"""Constructs for metrics, alerts and dashboards."""

from ultracluster.observability.alert_rules import AlertRules, AlertRulesProps
from ultracluster.observability.alert_topic import AlertKey, AlertKeyProps, AlertTopic, AlertTopicProps
from ultracluster.observability.grafana_content import GrafanaContent, GrafanaContentProps
from ultracluster.observability.grafana_loader import GrafanaLoader, GrafanaLoaderProps, LoaderNetwork
from ultracluster.observability.grafana_workspace import (
    GrafanaAuthentication,
    GrafanaWorkspace,
    GrafanaWorkspaceProps,
    SamlSignIn,
    add_workspace_role,
)
from ultracluster.observability.metric_alarm import MetricAlarm, MetricAlarmProps, discarded_samples
from ultracluster.observability.metrics_scraper import MetricsScraper, MetricsScraperProps
from ultracluster.observability.metrics_workspace import MetricsWorkspace, MetricsWorkspaceProps
from ultracluster.observability.regional_grafana import RegionalGrafanaWorkspace

__all__ = [
    "AlertKey",
    "AlertKeyProps",
    "AlertRules",
    "AlertRulesProps",
    "AlertTopic",
    "AlertTopicProps",
    "GrafanaAuthentication",
    "GrafanaContent",
    "GrafanaContentProps",
    "GrafanaLoader",
    "GrafanaLoaderProps",
    "GrafanaWorkspace",
    "GrafanaWorkspaceProps",
    "LoaderNetwork",
    "MetricAlarm",
    "MetricAlarmProps",
    "MetricsScraper",
    "MetricsScraperProps",
    "MetricsWorkspace",
    "MetricsWorkspaceProps",
    "RegionalGrafanaWorkspace",
    "SamlSignIn",
    "add_workspace_role",
    "discarded_samples",
]
