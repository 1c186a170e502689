"""Emulated Grafana: its objects, and the responses of its HTTP API.

The API: https://grafana.com/docs/grafana/latest/developers/http_api/
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from .bodies import Json, check_dashboard, check_folder, check_source
from .errors import SiteError, bad_request, not_found

RANKS = {"VIEWER": 1, "EDITOR": 2, "ADMIN": 3}


@dataclass(kw_only=True)
class Site:
    """A Grafana with its objects.

    `roles` returns the role of a token: ADMIN, EDITOR or VIEWER; None for an invalid token. `busy` is the
    number of first requests that fail with status 503, as while a real Grafana starts.
    """

    version: str
    roles: Callable[[str], str | None]
    plugin_admin: bool = True
    plugins: set[str] = field(default_factory=set)
    sources: dict[str, Json] = field(default_factory=dict)
    folders: dict[str, Json] = field(default_factory=dict)
    dashboards: dict[str, Json] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    busy: int = 0

    def answer(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> tuple[int, Json | list[Json]]:
        """Respond to a request with an HTTP status and a body."""
        place = urlsplit(url)
        self.requests.append(f"{method} {place.path}")
        if self.busy:
            self.busy -= 1
            return 503, {"message": "Service Unavailable"}
        try:
            return 200, self._carry_out(method, place.path, place.query, headers, body)
        except SiteError as error:
            return error.status, {"message": error.message}

    def _carry_out(
        self, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes | None
    ) -> Json | list[Json]:
        if (method, path) == ("GET", "/api/health"):
            return {"database": "ok", "version": self.version}
        token = headers.get("Authorization", "").removeprefix("Bearer ")
        rank = RANKS.get(self.roles(token) or "", 0)
        if not rank:
            raise SiteError(401, "Invalid API key")
        for verb, pattern, needed, operation in _ROUTES:
            match = re.fullmatch(pattern, path)
            if verb == method and match:
                if rank < RANKS[needed]:
                    raise SiteError(403, f"You'll need the role {needed} for this")
                return operation(self, *match.groups(), _body(method, headers, body) or parse_qs(query))
        raise not_found(f"{method} {path}")

    @property
    def numbers(self) -> tuple[int, ...]:
        """Return the version as numbers, to compare it."""
        return tuple(int(part) for part in self.version.split("."))


def _body(method: str, headers: Mapping[str, str], body: bytes | None) -> Json | None:
    if method not in ("POST", "PUT"):
        return None
    kinds = {name.lower(): value for name, value in headers.items()}
    if kinds.get("content-type", "").partition(";")[0] != "application/json":
        raise SiteError(415, "Content-Type must be application/json")
    try:
        found = json.loads(body or b"")
    except ValueError:
        raise bad_request("bad request data") from None
    if not isinstance(found, dict):
        raise bad_request("bad request data")
    return found


def _organization(site: Site, _: Json) -> Json:
    return {"id": 1, "name": "Main Org."}


def _source(site: Site, uid: str, _: Json) -> Json:
    if uid not in site.sources:
        raise not_found("Data source")
    # responses never contain secrets
    return {key: value for key, value in site.sources[uid].items() if key != "secureJsonData"}


def _list_sources(site: Site, _: Json) -> list[Json]:
    return [_source(site, uid, {}) for uid in sorted(site.sources)]


def _add_source(site: Site, body: Json) -> Json:
    check_source(body, site.numbers, site.plugins)
    if body["uid"] in site.sources or _name_is_taken(site, body):
        raise SiteError(409, "data source with the same name already exists")
    site.sources[body["uid"]] = body
    return {"datasource": body, "message": "Datasource added", "name": body["name"]}


def _put_source(site: Site, uid: str, body: Json) -> Json:
    _source(site, uid, {})
    check_source(body, site.numbers, site.plugins)
    if _name_is_taken(site, body):
        raise SiteError(409, "Data source with the same name already exists")
    site.sources[uid] = body
    return {"datasource": body, "message": "Datasource updated", "name": body["name"]}


def _name_is_taken(site: Site, body: Json) -> bool:
    return any(s["name"] == body["name"] and uid != body["uid"] for uid, s in site.sources.items())


def _remove_source(site: Site, uid: str, _: Json) -> Json:
    _source(site, uid, {})
    del site.sources[uid]
    return {"message": "Data source deleted"}


def _folder(site: Site, uid: str, _: Json) -> Json:
    if uid not in site.folders:
        raise not_found("folder")
    return site.folders[uid]


def _add_folder(site: Site, body: Json) -> Json:
    check_folder(body)
    if body["uid"] in site.folders:
        raise SiteError(412, "the folder has been changed by someone else")
    site.folders[body["uid"]] = body
    return body


def _put_folder(site: Site, uid: str, body: Json) -> Json:
    _folder(site, uid, {})
    check_folder({"uid": uid, **body})
    if not body.get("overwrite"):
        raise SiteError(412, "the folder has been changed by someone else")
    site.folders[uid] = {"uid": uid, "title": body["title"]}
    return site.folders[uid]


def _remove_folder(site: Site, uid: str, _: Json) -> Json:
    _folder(site, uid, {})
    del site.folders[uid]
    for board in [u for u, one in site.dashboards.items() if one["folderUid"] == uid]:
        del site.dashboards[board]
    return {"message": "Folder deleted"}


def _dashboard(site: Site, uid: str, _: Json) -> Json:
    if uid not in site.dashboards:
        raise not_found("Dashboard")
    saved = site.dashboards[uid]
    return {"dashboard": saved["dashboard"], "meta": {"folderUid": saved["folderUid"]}}


def _save_dashboard(site: Site, body: Json) -> Json:
    dashboard = check_dashboard(body, site.numbers, site.plugins, set(site.sources))
    uid, folder = dashboard["uid"], body.get("folderUid", "")
    if folder and folder not in site.folders:
        raise bad_request("folder not found")
    if uid in site.dashboards and not body.get("overwrite"):
        raise SiteError(412, "The dashboard has been changed by someone else")
    before = site.dashboards.get(uid, {"dashboard": {"version": 0}})["dashboard"]["version"]
    if dashboard.get("id") is not None:
        raise not_found("Dashboard")
    saved = {**dashboard, "id": len(site.dashboards) + 1, "version": before + 1}
    site.dashboards[uid] = {"dashboard": saved, "folderUid": folder}
    return {"uid": uid, "status": "success", "version": saved["version"]}


def _remove_dashboard(site: Site, uid: str, _: Json) -> Json:
    _dashboard(site, uid, {})
    title = site.dashboards.pop(uid)["dashboard"]["title"]
    return {"title": title, "message": f"Dashboard {title} deleted"}


def _search(site: Site, query: Json) -> list[Json]:
    folders, tags = query.get("folderUIDs"), query.get("tag", [])
    return [
        {"uid": uid, "title": one["dashboard"]["title"], "type": "dash-db", "folderUid": one["folderUid"]}
        for uid, one in sorted(site.dashboards.items())
        if (not folders or one["folderUid"] in folders) and set(tags) <= set(one["dashboard"].get("tags", ()))
    ]


def _plugin(site: Site, name: str, _: Json) -> Json:
    if name not in site.plugins:
        raise SiteError(404, "Plugin not found, no installed plugin with that id")
    return {"id": name, "enabled": True}


def _install_plugin(site: Site, name: str, _: Json) -> Json:
    if not site.plugin_admin:
        raise not_found("POST /api/plugins/install")
    if name in site.plugins:
        raise SiteError(409, "Plugin already installed")
    site.plugins.add(name)
    return {}


_PART = r"([A-Za-z0-9_-]+)"
_ROUTES: tuple[tuple[str, str, str, Callable[..., Json | list[Json]]], ...] = (
    ("GET", r"/api/org", "VIEWER", _organization),
    ("GET", r"/api/datasources", "ADMIN", _list_sources),
    ("POST", r"/api/datasources", "ADMIN", _add_source),
    ("GET", rf"/api/datasources/uid/{_PART}", "ADMIN", _source),
    ("PUT", rf"/api/datasources/uid/{_PART}", "ADMIN", _put_source),
    ("DELETE", rf"/api/datasources/uid/{_PART}", "ADMIN", _remove_source),
    ("POST", r"/api/folders", "EDITOR", _add_folder),
    ("GET", rf"/api/folders/{_PART}", "VIEWER", _folder),
    ("PUT", rf"/api/folders/{_PART}", "EDITOR", _put_folder),
    ("DELETE", rf"/api/folders/{_PART}", "EDITOR", _remove_folder),
    ("POST", r"/api/dashboards/db", "EDITOR", _save_dashboard),
    ("GET", rf"/api/dashboards/uid/{_PART}", "VIEWER", _dashboard),
    ("DELETE", rf"/api/dashboards/uid/{_PART}", "EDITOR", _remove_dashboard),
    ("GET", r"/api/search", "VIEWER", _search),
    ("GET", rf"/api/plugins/{_PART}/settings", "VIEWER", _plugin),
    ("POST", rf"/api/plugins/{_PART}/install", "ADMIN", _install_plugin),
)
