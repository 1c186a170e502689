"""Panels as Grafana JSON, with core panel types only, so that Grafana 10.4 and newer can render them."""

from __future__ import annotations

from collections.abc import Mapping

from config.design.observability.dashboards.parts import LABELS, Json, Panel, Query, Steps
from config.design.observability.dashboards.places import Places

_BOARDS = {"node": ("node", "node"), "hpc_job": ("training", "job"), "pod": ("training", "job")}
"""Label of a table column -> the dashboard that the column's link opens, and the variable that it sets."""
_TO_NODE = ("node", "Open node", "&var-node=${__field.labels.node}")
"""Link from a line of a graph to the dashboard of its node."""
_LAST: Json = {"calcs": ["lastNotNull"], "fields": "", "values": False}


def panel_body(panel: Panel, places: Places) -> Json:
    """Return the JSON of a panel without id and position; its queries must have the metrics of the cluster."""
    body: Json = {"type": panel.kind, "title": panel.title, "description": panel.description}
    if panel.kind == "text":
        return body | {"options": {"mode": "markdown", "content": panel.text}}
    source = _source(panel, places)
    body |= {
        "datasource": source,
        "targets": [_target(panel, query, n, source) for n, query in enumerate(panel.queries)],
        "fieldConfig": {"defaults": _defaults(panel, places), "overrides": _overrides(panel, places)},
        "options": _OPTIONS[panel.kind](panel),
    }
    if panel.kind == "table":
        body["transformations"] = _transformations(panel)
    return body


def _source(panel: Panel, places: Places) -> Json:
    if panel.source == "cloudwatch":
        return {"type": "cloudwatch", "uid": places.sources.cloudwatch}
    return {"type": places.sources.prometheus_type, "uid": places.sources.prometheus}


def _target(panel: Panel, query: Query, number: int, source: Json) -> Json:
    letter = chr(ord("A") + number)
    if panel.source == "cloudwatch":
        return {
            "refId": letter,
            "datasource": source,
            "id": letter.lower(),
            "queryMode": "Metrics",
            "metricQueryType": 0,
            "metricEditorMode": 1,
            "expression": query.expression,
            "label": query.legend,
            "region": "default",
        }
    table = panel.kind == "table"
    instant = table or panel.kind == "bargauge"
    return {
        "refId": letter,
        "datasource": source,
        "editorMode": "code",
        "expr": query.expression,
        "legendFormat": "__auto" if table else query.legend,
        "format": "table" if table else "time_series",
        "instant": instant,
        "range": not instant,
    }


def _thresholds(steps: Steps) -> Json:
    return {"mode": "absolute", "steps": [{"color": colour, "value": value} for value, colour in steps]}


def _defaults(panel: Panel, places: Places) -> Json:
    defaults: Json = {
        "unit": panel.unit,
        "min": panel.smallest,
        "max": panel.largest,
        "decimals": panel.decimals,
        "color": {"mode": "palette-classic" if panel.kind == "timeseries" else "thresholds"},
        "thresholds": _thresholds(panel.steps),
        "mappings": _mappings(panel.mappings),
        "custom": _custom(panel),
        "links": [_link(places, *_TO_NODE)] if _leads_to_nodes(panel) else [],
    }
    return {key: value for key, value in defaults.items() if value not in (None, {}, [])}


def _leads_to_nodes(panel: Panel) -> bool:
    """Return whether each series belongs to a single node."""
    drawn = panel.kind in ("timeseries", "bargauge")
    return drawn and any("{{node}}" in query.legend for query in panel.queries)


def _custom(panel: Panel) -> Json:
    if panel.kind == "timeseries":
        return {
            "drawStyle": "line",
            "lineWidth": 1,
            "fillOpacity": 30 if panel.stacked else 5,
            "showPoints": "never",
            "spanNulls": False,
            "stacking": {"mode": "normal" if panel.stacked else "none", "group": "A"},
            "thresholdsStyle": {"mode": "dashed" if len(panel.steps) > 1 else "off"},
        }
    if panel.kind == "table":
        return {"align": "auto", "filterable": True, "cellOptions": {"type": "auto"}}
    return {}


def _mappings(texts: Mapping[str, str]) -> list[Json]:
    if not texts:
        return []
    options = {value: {"index": n, "text": text} for n, (value, text) in enumerate(texts.items())}
    return [{"type": "value", "options": options}]


def _link(places: Places, board: str, title: str, query: str) -> Json:
    always = "var-cluster=${cluster}&${__url_time_range}"
    return {"title": title, "url": f"/d/{places.uid(board)}?{always}{query}", "targetBlank": False}


def _overrides(panel: Panel, places: Places) -> list[Json]:
    """Return the column settings of a table: units of values, and links of nodes and jobs."""
    if panel.kind != "table":
        return []
    overrides: list[Json] = []
    for _, name in panel.queries:
        properties: list[Json] = [{"id": "unit", "value": panel.units.get(name, panel.unit)}]
        if len(panel.steps) > 1:
            properties.append(
                {"id": "custom.cellOptions", "value": {"type": "color-background", "mode": "basic"}}
            )
        overrides.append({"matcher": {"id": "byName", "options": name}, "properties": properties})
    for label in panel.columns:
        if not panel.linked or label not in _BOARDS:
            continue
        board, variable = _BOARDS[label]
        column = LABELS[label]
        link = _link(places, board, f"Open {column.lower()}", f"&var-{variable}=${{__data.fields.{column}}}")
        properties = [{"id": "links", "value": [link]}]
        overrides.append({"matcher": {"id": "byName", "options": column}, "properties": properties})
    return overrides


def _transformations(panel: Panel) -> list[Json]:
    """Return transformations that merge the queries' values into one row and rename the columns."""
    queries = len(panel.queries)
    found = ["Value"] if queries == 1 else [f"Value #{chr(ord('A') + n)}" for n in range(queries)]
    names = {label: LABELS[label] for label in panel.columns}
    names |= dict(zip(found, (query.legend for query in panel.queries), strict=True))
    order = {name: number for number, name in enumerate(names)}
    merge: list[Json] = [] if queries == 1 else [{"id": "merge", "options": {}}]
    keep = "|".join([*panel.columns, *(f"Value( #{chr(ord('A') + n)})?" for n in range(queries))])
    return [
        *merge,
        {"id": "filterFieldsByName", "options": {"include": {"pattern": f"^({keep})$"}}},
        {"id": "organize", "options": {"excludeByName": {}, "indexByName": order, "renameByName": names}},
    ]


def _timeseries(panel: Panel) -> Json:
    legend = {
        "showLegend": True,
        "displayMode": "table",
        "placement": "right" if panel.width >= 18 else "bottom",
        "calcs": ["max", "lastNotNull"],
        "sortBy": "Max",
        "sortDesc": True,
    }
    return {"legend": legend, "tooltip": {"mode": "multi", "sort": "desc"}}


def _stat(panel: Panel) -> Json:
    return {
        "reduceOptions": _LAST,
        "colorMode": "background" if len(panel.steps) > 1 else "value",
        "graphMode": "area",
        "textMode": "auto",
        "justifyMode": "auto",
        "orientation": "auto",
    }


def _table(panel: Panel) -> Json:
    sort = [{"displayName": panel.queries[0].legend, "desc": True}]
    return {"showHeader": True, "cellHeight": "sm", "footer": {"show": False}, "sortBy": sort}


def _heatmap(panel: Panel) -> Json:
    return {
        "calculate": True,
        "calculation": {
            "xBuckets": {"mode": "count", "value": "90"},
            "yBuckets": {"mode": "count", "value": "20"},
        },
        "cellGap": 1,
        "color": {
            "mode": "scheme",
            "scheme": panel.colour,
            "exponent": 0.5,
            "steps": 64,
            "fill": "dark-orange",
        },
        "filterValues": {"le": 1e-9},
        "legend": {"show": True},
        "rowsFrame": {"layout": "auto"},
        "tooltip": {"mode": "single", "showColorScale": False, "yHistogram": True},
        "yAxis": {"axisPlacement": "left", "unit": panel.unit},
    }


def _bargauge(panel: Panel) -> Json:
    return {
        "displayMode": "gradient",
        "orientation": "horizontal",
        "reduceOptions": _LAST,
        "showUnfilled": True,
        "valueMode": "color",
        "minVizHeight": 10,
        "minVizWidth": 0,
    }


_OPTIONS = {
    "timeseries": _timeseries,
    "stat": _stat,
    "table": _table,
    "heatmap": _heatmap,
    "bargauge": _bargauge,
}
