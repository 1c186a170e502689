"""Design of metrics, alerts and dashboards."""
