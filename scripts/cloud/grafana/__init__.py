"""What is inside a Grafana: its HTTP API, for functions that load data sources and dashboards into it."""
