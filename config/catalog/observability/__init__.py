"""Metrics, alerts, dashboards: in the catalogue."""
