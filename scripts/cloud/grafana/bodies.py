"""Checks of request bodies for the Grafana HTTP API.

A real Grafana accepts many invalid bodies, and later shows an empty panel. These checks reject known
mistakes: placeholders of exported dashboards, missing data sources, Angular panels, and signatures that a
data source's plugin does not support.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .errors import bad_request

Json = dict[str, Any]

LONGEST_UID = 40
CORE_SOURCES = frozenset({"prometheus", "cloudwatch", "alertmanager", "loki", "elasticsearch", "testdata"})
AMAZON_PROMETHEUS = "grafana-amazonprometheus-datasource"
CORE_PANELS = frozenset(
    {
        "row",
        "text",
        "timeseries",
        "stat",
        "table",
        "heatmap",
        "bargauge",
        "gauge",
        "barchart",
        "histogram",
        "logs",
        "state-timeline",
        "status-history",
        "alertlist",
        "dashlist",
        "geomap",
        "nodeGraph",
        "piechart",
        "trend",
        "xychart",
        "canvas",
        "news",
        "traces",
        "flamegraph",
        "annolist",
        "candlestick",
        "datagrid",
    }
)
_UID = re.compile(rf"[A-Za-z0-9_-]{{1,{LONGEST_UID}}}")
# https://grafana.com/docs/grafana/latest/developers/http_api/data_source/
_SOURCE_FIELDS = frozenset(
    {
        "access",
        "basicAuth",
        "basicAuthUser",
        "database",
        "id",
        "isDefault",
        "jsonData",
        "name",
        "orgId",
        "secureJsonData",
        "type",
        "uid",
        "url",
        "user",
        "version",
        "withCredentials",
    }
)
# https://grafana.com/docs/grafana/latest/developers/http_api/dashboard/
_SAVE_FIELDS = frozenset({"dashboard", "folderUid", "message", "overwrite"})
_FOLDER_FIELDS = frozenset({"uid", "title", "parentUid", "description", "version", "overwrite"})


def only_known(body: Mapping[str, Any], known: frozenset[str]) -> None:
    """Reject unknown fields, which the real API ignores silently."""
    unknown = sorted(body.keys() - known)
    if unknown:
        raise bad_request(f"unknown fields: {', '.join(unknown)}")


def check_uid(uid: object) -> str:
    """Return the UID if Grafana accepts it; otherwise raise SiteError."""
    if not isinstance(uid, str) or not _UID.fullmatch(uid):
        raise bad_request(f"uid {uid!r} must have at most {LONGEST_UID} letters, digits, '-' and '_'")
    return uid


def check_source(body: Mapping[str, Any], version: tuple[int, ...], plugins: set[str]) -> None:
    """Check a data source: its plugin must be installed and support the configured signatures."""
    only_known(body, _SOURCE_FIELDS)
    check_uid(body.get("uid"))
    kind, settings = body.get("type"), body.get("jsonData", {})
    if not body.get("name") or body.get("access") != "proxy":
        raise bad_request("a data source must have a name, and access 'proxy'")
    if kind not in CORE_SOURCES | plugins:
        raise bad_request(f"the plugin {kind} is not installed")
    if kind == "prometheus" and settings.get("sigV4Auth") and version >= (12,):
        raise bad_request(f"from version 12 on {kind} does not sign requests: use {AMAZON_PROMETHEUS}")
    if settings.get("sigV4Auth") and not settings.get("sigV4Region"):
        raise bad_request("a data source with sigV4Auth needs sigV4Region")
    if kind != "cloudwatch" and not str(body.get("url", "")).startswith(("http://", "https://")):
        raise bad_request(f"the url {body.get('url')!r} is not an HTTP URL")
    if kind == "cloudwatch" and not settings.get("defaultRegion"):
        raise bad_request("a CloudWatch data source needs defaultRegion")


def check_folder(body: Mapping[str, Any]) -> None:
    """Check a folder."""
    only_known(body, _FOLDER_FIELDS)
    check_uid(body.get("uid"))
    if not body.get("title"):
        raise bad_request("folder title cannot be empty")


def check_dashboard(
    body: Mapping[str, Any], version: tuple[int, ...], plugins: set[str], sources: set[str]
) -> Json:
    """Check a request to save a dashboard; return the dashboard."""
    only_known(body, _SAVE_FIELDS)
    dashboard: Json = body.get("dashboard") or {}
    check_uid(dashboard.get("uid"))
    if not dashboard.get("title"):
        raise bad_request("Dashboard title cannot be empty")
    if not isinstance(dashboard.get("schemaVersion"), int):
        raise bad_request("schemaVersion must be a number")
    if "__inputs" in dashboard or "${DS_" in str(dashboard):
        raise bad_request("only the import page replaces placeholders of an export (__inputs, ${DS_...})")
    for panel in dashboard.get("panels", ()):
        if panel["type"] not in CORE_PANELS | plugins:
            raise bad_request(
                f"panel {panel.get('title')!r} is of type {panel['type']}, which version {version} lacks"
            )
    missing = sorted({uid for uid in _source_uids(dashboard) if uid not in sources})
    if missing:
        raise bad_request(f"Datasource {', '.join(missing)} was not found")
    return dashboard


def _source_uids(found: Any) -> Iterator[str]:
    if isinstance(found, dict):
        source = found.get("datasource")
        if isinstance(source, dict):
            yield str(source.get("uid"))
        for part in found.values():
            yield from _source_uids(part)
    elif isinstance(found, list):
        for part in found:
            yield from _source_uids(part)
