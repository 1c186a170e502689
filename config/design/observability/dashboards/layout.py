"""Layout of dashboards as Grafana JSON, without the panels whose metrics the cluster lacks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from config.design.observability.dashboards.panels import panel_body
from config.design.observability.dashboards.parts import WIDTH, Board, Json, Panel, Query, Variable
from config.design.observability.dashboards.places import PREFIX, Places
from config.design.observability.model import Dashboard, Measured
from config.design.observability.names import filled

SCHEMA_VERSION = 39
"""Schema version of Grafana 10.4, which newer versions can read
(https://docs.aws.amazon.com/grafana/latest/userguide/version-differences.html)."""


def lay_out(board: Board, measured: Measured, places: Places) -> Dashboard | None:
    """Return the dashboard; None if the cluster has no metrics for it."""
    panels = list(_placed(board, measured, places))
    metrics = places.sources.prometheus
    if not any(_asks(panel, metrics) for panel in panels) and not (panels and board.without_metrics):
        return None
    uid = places.uid(board.board)
    title = board.title if places.prefix == PREFIX else f"{board.title} ({measured.cluster})"
    body: Json = {
        "uid": uid,
        "title": title,
        "description": board.description,
        "tags": [places.prefix],
        "schemaVersion": SCHEMA_VERSION,
        # a deployment overwrites the dashboard, so users save a copy instead of editing it
        "editable": False,
        "graphTooltip": 1,
        "refresh": board.refresh,
        "time": {"from": board.since, "to": "now"},
        "timezone": "browser",
        "links": [_other_boards(places)],
        "annotations": {"list": _annotations(measured, places)},
        "templating": {"list": [v for v in (_variable(v, measured, places) for v in board.variables) if v]},
        "panels": panels,
    }
    return Dashboard(uid=uid, title=title, body=body)


def _asks(panel: Json, source: str) -> bool:
    return bool(panel.get("datasource", {}).get("uid") == source)


def _placed(board: Board, measured: Measured, places: Places) -> Iterator[Json]:
    number, top = 0, 0
    for row in board.rows:
        there = [found for panel in row.panels if (found := _there(panel, measured, places))]
        if not any(body["type"] != "text" for _, body in there):
            continue
        number += 1
        heading = {"h": 1, "w": WIDTH, "x": 0, "y": top}
        yield {
            "id": number,
            "type": "row",
            "title": row.title,
            "collapsed": False,
            "gridPos": heading,
            "panels": [],
        }
        top += 1
        for line in _lines(there):
            left, height = 0, max(panel.height for panel, _ in line)
            for width, (_, body) in zip(_widths([panel for panel, _ in line]), line, strict=True):
                number += 1
                yield {"id": number, **body, "gridPos": {"h": height, "w": width, "x": left, "y": top}}
                left += width
            top += height


def _there(panel: Panel, measured: Measured, places: Places) -> tuple[Panel, Json] | None:
    """Return a panel with the queries that the cluster supports; None if there are none."""
    queries = list[Query]()
    for expression, legend in panel.queries:
        found = expression if panel.source == "cloudwatch" else filled(expression, measured)
        if found:
            queries.append(Query(" ".join(found.split()), legend))
    if panel.queries and not queries:
        return None
    return panel, panel_body(replace(panel, queries=tuple(queries)), places)


def _lines(panels: list[tuple[Panel, Json]]) -> Iterator[list[tuple[Panel, Json]]]:
    """Yield lines of panels; the panels of a line fit next to each other."""
    line: list[tuple[Panel, Json]] = []
    for panel in panels:
        if line and sum(there.width for there, _ in line) + panel[0].width > WIDTH:
            yield line
            line = []
        line.append(panel)
    if line:
        yield line


def _widths(panels: list[Panel]) -> list[int]:
    """Return panel widths that fill a whole line, even if some of its panels were left out."""
    whole = sum(panel.width for panel in panels)
    widths = [panel.width * WIDTH // whole for panel in panels]
    widths[-1] += WIDTH - sum(widths)
    return widths


def _other_boards(places: Places) -> Json:
    return {
        "type": "dashboards",
        "title": "Other dashboards",
        "tags": [places.prefix],
        "asDropdown": True,
        "includeVars": True,
        "keepTime": True,
        "icon": "external link",
        "targetBlank": False,
        "tooltip": "",
        "url": "",
    }


def _annotations(measured: Measured, places: Places) -> list[Json]:
    """Return annotations for critical alerts; empty if alerts are not stored as series."""
    expression = filled('<alerts>{cluster="$cluster",alertstate="firing",severity="critical"}', measured)
    if expression is None:
        return []
    return [
        {
            "name": "Critical alerts",
            "datasource": {"type": places.sources.prometheus_type, "uid": places.sources.prometheus},
            "enable": True,
            "iconColor": "red",
            "expr": expression,
            "step": "60s",
            "titleFormat": "{{alertname}}",
            "textFormat": "{{node}}",
        }
    ]


def _variable(variable: Variable, measured: Measured, places: Places) -> Json | None:
    query = filled(variable.query, measured)
    if query is None:
        return None
    body: Json = {
        "name": variable.name,
        "label": variable.label,
        "type": "query",
        "datasource": {"type": places.sources.prometheus_type, "uid": places.sources.prometheus},
        "definition": query,
        "query": {"query": query, "refId": variable.name},
        "refresh": 2,
        "sort": 7,
        "regex": "",
        "hide": 0,
        "skipUrlSync": False,
        "multi": variable.many,
        "includeAll": variable.many,
    }
    if variable.many:
        # not a list of all values, which grows with the cluster and would exceed the query size limit
        return body | {"allValue": ".*", "current": {"text": ["All"], "value": ["$__all"]}}
    chosen = measured.cluster if variable.name == "cluster" else ""
    return body | ({"current": {"text": chosen, "value": chosen}} if chosen else {})
