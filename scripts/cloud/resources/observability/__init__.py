"""Resource types of metrics, alerts and dashboards."""

from scripts.cloud.resources.base import models_of

from . import cloudwatch, events, grafana, logs, prometheus, prometheus_scrapers, sns, sqs

MODELS = models_of(cloudwatch, events, grafana, logs, prometheus, prometheus_scrapers, sns, sqs)
