"""Metrics, alerts, dashboards: what services refuse of them."""

from . import prometheus_files, prometheus_receivers, workspaces

RULES = (*workspaces.RULES, *prometheus_receivers.RULES, *prometheus_files.RULES)
