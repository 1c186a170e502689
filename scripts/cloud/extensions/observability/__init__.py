"""Metrics, alerts, dashboards: what moto lacks of them."""

from . import alarms, logs

EXTENSIONS = (alarms, logs)
