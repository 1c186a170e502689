"""Metrics, alerts, dashboards: in a stack."""
