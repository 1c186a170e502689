"""Observability layer of a stack: metrics, alerts and dashboards."""
