"""Queries of a dashboard's JSON, with Grafana's variables replaced."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from config.design.observability.model import Dashboard, Measured

VARIABLES = {
    "$__rate_interval": "4m",
    "$__range": "30m",
    "$cluster": "",
    '"$node|"': '".*|"',
    '=~"$node"': '=~".*"',
    "$job": ".*",
    "$run": ".*",
}


def panels(dashboard: Dashboard) -> Iterator[dict[str, Any]]:
    """Return the panels without rows."""
    return (panel for panel in dashboard.body["panels"] if panel["type"] != "row")


def asked(expression: str, measured: Measured) -> str:
    """Return a query with variables replaced as in Grafana."""
    values = {**VARIABLES, "$cluster": measured.cluster, '="$node"': f'="{node_of(measured)}"'}
    for name, value in values.items():
        expression = expression.replace(name, value)
    assert "$" not in expression, expression
    return expression


def node_of(measured: Measured) -> str:
    """Node for variables with a single value."""
    return f"{measured.gpu_nodes[0].instance_type}-0"
