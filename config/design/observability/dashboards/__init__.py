"""Grafana dashboards as plain data, in the order in which a person on call needs them."""

from config.design.observability.dashboards.places import DataSources, Places
from config.design.observability.dashboards.plan import plan_dashboards

__all__ = ["DataSources", "Places", "plan_dashboards"]
