"""Metrics, alerts, dashboards: their pages."""
