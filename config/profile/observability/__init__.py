"""Metrics, alerts, dashboards: in a profile."""
