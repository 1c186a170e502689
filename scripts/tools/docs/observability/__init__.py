"""Generators of the pages about alerts, metrics, dashboards, XIDs and repair."""
