"""Model of dashboards: queries, panels, rows and variables, before the layout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, NamedTuple

Kind = Literal["timeseries", "stat", "table", "heatmap", "bargauge", "text"]
Source = Literal["prometheus", "cloudwatch"]

WIDTH = 24
"""Number of columns of Grafana's grid."""

#: Minimum value and colour of each step; the first step has no minimum.
Steps = tuple[tuple[float | None, str], ...]

PLAIN: Steps = ((None, "blue"),)
GOOD: Steps = ((None, "green"),)
ANY_IS_BAD: Steps = ((None, "green"), (1, "red"))
ANY_IS_ODD: Steps = ((None, "green"), (1, "orange"))
_NONE: Mapping[str, str] = {}


LABELS = {
    "action": "Action",
    "alertname": "Alert",
    "condition": "Condition",
    "device": "Device",
    "dimension_FileSystemId": "File system",
    "file_system": "File system",
    "gpu": "GPU",
    "group": "Group",
    "hpc_job": "Job",
    "instance_type": "Type",
    "job": "Exporter",
    "mountpoint": "Mounted at",
    "namespace": "Namespace",
    "node": "Node",
    "pod": "Pod",
    "reason": "Reason",
    "run": "Run",
    "severity": "Severity",
    "state": "State",
    "xid": "XID",
}
"""Column names of tables for the labels of series."""


class Query(NamedTuple):
    """Query of a panel: PromQL with metrics by key, or a CloudWatch search expression.

    `legend` is the name of its series, or of its column in a table. The query is left out if the cluster lacks
    one of its metrics.
    """

    expression: str
    legend: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """A dashboard panel.

    `columns`: labels that a table shows, in order; other labels are hidden. `linked`: values link to the
    dashboards of their node and job. `units`: units of single columns. `mappings`: texts that replace numbers.
    A panel without queries shows `text`.
    """

    kind: Kind
    title: str
    description: str
    queries: tuple[Query, ...]
    source: Source
    unit: str
    width: int
    height: int
    steps: Steps
    stacked: bool
    smallest: float | None
    largest: float | None
    decimals: int | None
    columns: tuple[str, ...]
    units: Mapping[str, str] = field(hash=False)
    linked: bool
    mappings: Mapping[str, str] = field(hash=False)
    colour: str
    text: str


def panel(
    kind: Kind,
    title: str,
    description: str,
    *expressions: str | tuple[str, str],
    source: Source = "prometheus",
    unit: str = "short",
    width: int = 12,
    height: int = 8,
    steps: Steps = GOOD,
    stacked: bool = False,
    smallest: float | None = None,
    largest: float | None = None,
    decimals: int | None = None,
    columns: tuple[str, ...] = (),
    units: Mapping[str, str] = _NONE,
    linked: bool = True,
    mappings: Mapping[str, str] = _NONE,
    colour: str = "Oranges",
    text: str = "",
) -> Panel:
    """Return a panel; `expressions` are queries with a legend, or an expression whose legend is the title."""
    return Panel(
        kind=kind,
        title=title,
        description=description,
        queries=tuple(Query(one, title) if isinstance(one, str) else Query(*one) for one in expressions),
        source=source,
        unit=unit,
        width=width,
        height=height,
        steps=steps,
        stacked=stacked,
        smallest=smallest,
        largest=largest,
        decimals=decimals,
        columns=columns,
        units=units,
        linked=linked,
        mappings=mappings,
        colour=colour,
        text=text,
    )


lines = partial(panel, "timeseries", smallest=0)
stat = partial(panel, "stat")
table = partial(panel, "table")
heatmap = partial(panel, "heatmap")
bars = partial(panel, "bargauge")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of panels under one heading."""

    title: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A dashboard variable: a selection of values of one label."""

    name: str
    label: str
    query: str
    many: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A dashboard before the layout; `without_metrics`: CloudWatch metrics alone are enough."""

    board: str
    title: str
    description: str
    variables: tuple[Variable, ...]
    rows: tuple[Row, ...]
    refresh: str = "1m"
    since: str = "now-3h"
    without_metrics: bool = False


Json = dict[str, Any]


def row(title: str, *panels: Panel, width: int | None = None, height: int | None = None) -> Row:
    """Return a row; `width` and `height` apply to all its panels if they are set."""
    sized = (replace(panel, width=width or panel.width, height=height or panel.height) for panel in panels)
    return Row(title=title, panels=tuple(sized))
