"""Emulated Grafana of the embedded cloud: the HTTP API for data sources, folders and dashboards."""
