"""Rules for metrics, alerts and dashboards."""
