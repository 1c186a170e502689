"""Metrics, alerts, dashboards: what services refuse of them."""
