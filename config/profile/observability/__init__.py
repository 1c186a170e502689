"""Profile models for metrics, alerts and dashboards."""
