"""What dashboards are made of: queries, panels and rows, before they are laid out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["timeseries", "stat", "table", "heatmap", "bargauge", "text"]
Source = Literal["prometheus", "cloudwatch"]

WIDTH = 24
"""Columns of Grafana's grid."""

#: Colours from the least value on; the first has none.
Steps = tuple[tuple[float | None, str], ...]

GOOD: Steps = ((None, "green"),)
ANY_IS_BAD: Steps = ((None, "green"), (1, "red"))
ANY_IS_ODD: Steps = ((None, "green"), (1, "orange"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What a panel asks: PromQL with metrics by key, or a search expression of CloudWatch.

    `legend` names its series. Where the cluster lacks a metric of it the query is left out.
    """

    expression: str
    legend: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """A panel: what it shows, and how.

    `now`: it asks for the present state only. `columns` are what a table calls its labels, in order; other
    labels are hidden. `links` lead from a value to another dashboard, by board and query of its address.
    `mappings` are texts instead of numbers. Without a query it is a text.
    """

    kind: Kind
    title: str
    description: str
    queries: tuple[Query, ...] = ()
    source: Source = "prometheus"
    unit: str = "short"
    width: int = 12
    height: int = 8
    steps: Steps = GOOD
    now: bool = False
    stacked: bool = False
    smallest: float | None = None
    largest: float | None = None
    decimals: int | None = None
    columns: Mapping[str, str] = field(default_factory=dict, hash=False)
    values: tuple[str, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict, hash=False)
    links: tuple[tuple[str, str, str], ...] = ()
    mappings: Mapping[str, str] = field(default_factory=dict, hash=False)
    colour: str = "Oranges"
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Panels under one heading."""

    title: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A choice at the top of a dashboard: the values of one label."""

    name: str
    label: str
    query: str
    many: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A dashboard before it is laid out. `without_metrics`: what CloudWatch alone shows is worth one."""

    board: str
    title: str
    description: str
    variables: tuple[Variable, ...]
    rows: tuple[Row, ...]
    refresh: str = "1m"
    since: str = "now-3h"
    without_metrics: bool = False


Json = dict[str, Any]
