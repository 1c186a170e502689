"""Metrics, alerts, dashboards: in the rules."""
