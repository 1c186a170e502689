"""Metrics, alerts, dashboards: their resource types."""
