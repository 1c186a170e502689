"""Metrics, alerts, dashboards: what moto lacks of them."""
