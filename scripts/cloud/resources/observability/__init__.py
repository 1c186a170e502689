"""Metrics, alerts, dashboards: their resource types."""

from . import cloudwatch, events, grafana, logs, prometheus, prometheus_scrapers, sns, sqs

MODELS = (
    *cloudwatch.MODELS,
    *events.MODELS,
    *grafana.MODELS,
    *logs.MODELS,
    *prometheus.MODELS,
    *prometheus_scrapers.MODELS,
    *sns.MODELS,
    *sqs.MODELS,
)
