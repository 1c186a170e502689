"""Dashboards of Grafana, as plain data: what a person on call looks at, in the order in which they ask."""

from config.design.observability.dashboards.places import DataSources, Places
from config.design.observability.dashboards.plan import plan_dashboards

__all__ = ["DataSources", "Places", "plan_dashboards"]
