"""Content of a Grafana: data sources, a folder and dashboards, which can be loaded repeatedly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .api import Api, ApiError
from .retries import RefusedError, Retries

MARK = "ultracluster"
"""Key in a data source's settings with its owner; data sources of other owners are never overwritten."""

Json = dict[str, Any]


class Content:
    """The objects of one cluster in a Grafana."""

    def __init__(self, api: Api, wanted: Mapping[str, Any], retries: Retries) -> None:
        """`wanted` is the content, with the URLs of its data sources."""
        self._api, self._wanted, self._retries = api, wanted, retries
        self._prefix: str = wanted["prefix"]
        self._folder: Mapping[str, str] = wanted["folder"]

    def load(self) -> None:
        """Load all objects, and delete objects of earlier versions."""
        self._api.request("GET", "/api/org")  # check that Grafana responds and accepts the token
        for plugin in self._wanted["plugins"]:
            self._install(plugin)
        for source in self._wanted["data_sources"]:
            self._put_source(source)
        self._put_folder()
        for dashboard in self._wanted["dashboards"]:
            self._put_dashboard(dashboard)
        self._remove_dashboards(keep={one["uid"] for one in self._wanted["dashboards"]})
        self._remove_sources(keep={one["uid"] for one in self._wanted["data_sources"]})

    def remove(self) -> None:
        """Delete the loaded objects; the folder is kept if it contains other objects."""
        self._remove_dashboards(keep=set())
        self._remove_sources(keep=set())
        uid = self._folder["uid"]
        if self._api.get(f"/api/folders/{uid}") is None:
            return
        others = self._api.request("GET", f"/api/search?folderUIDs={uid}&limit=1")
        if others:
            print(f"the folder {self._folder['title']} is kept: it contains {others[0]['title']}")
        else:
            self._api.delete(f"/api/folders/{uid}")

    def _install(self, plugin: str) -> None:
        """Install a plugin; an installed plugin keeps its version."""
        asked = False
        while self._api.get(f"/api/plugins/{plugin}/settings") is None:
            if asked:
                self._retries.wait(f"the plugin {plugin} is still not installed")
                continue
            try:
                self._api.request("POST", f"/api/plugins/{plugin}/install", {})
            except ApiError as error:
                if error.status != 409:  # it was installed in the meantime
                    raise RefusedError(f"install the plugin {plugin} in this Grafana: {error}") from error
            asked = True

    def _put_source(self, source: Json) -> None:
        path = f"/api/datasources/uid/{source['uid']}"
        there = self._api.get(path)
        if there is None:
            try:
                self._api.request("POST", "/api/datasources", source)
            except ApiError as error:
                # a repeated request that had already succeeded
                there = self._api.get(path) if error.status == 409 else None
                if there is None:
                    raise
            else:
                return
        if not self._is_ours(there):
            raise RefusedError(
                f"the data source {source['uid']} ({there.get('name')}) has another owner: "
                "delete it, or change its uid"
            )
        if not _is_part(source, there) or "secureJsonData" in source:
            self._api.request("PUT", path, source)

    def _put_folder(self) -> None:
        uid, title = self._folder["uid"], self._folder["title"]
        there = self._api.get(f"/api/folders/{uid}")
        if there is None:
            try:
                self._api.request("POST", "/api/folders", {"uid": uid, "title": title})
            except ApiError as error:
                if error.status not in (409, 412):
                    raise
        elif there["title"] != title:
            self._api.request("PUT", f"/api/folders/{uid}", {"title": title, "overwrite": True})

    def _put_dashboard(self, dashboard: Json) -> None:
        """Save a dashboard; an unchanged one is not saved again, which would extend its history."""
        there = self._api.get(f"/api/dashboards/uid/{dashboard['uid']}") or {}
        placed = there.get("meta", {}).get("folderUid") == self._folder["uid"]
        if placed and _is_part(dashboard, there["dashboard"]):
            return
        body = {
            "dashboard": {**dashboard, "id": None},
            "folderUid": self._folder["uid"],
            "overwrite": True,
            "message": "deployed",
        }
        self._api.request("POST", "/api/dashboards/db", body)

    def _remove_dashboards(self, keep: set[str]) -> None:
        query = f"type=dash-db&folderUIDs={self._folder['uid']}&tag={self._prefix}&limit=5000"
        for found in self._api.request("GET", f"/api/search?{query}"):
            # copies that users saved have the tag, but another UID
            if found["uid"].startswith(f"{self._prefix}-") and found["uid"] not in keep:
                self._api.delete(f"/api/dashboards/uid/{found['uid']}")

    def _remove_sources(self, keep: set[str]) -> None:
        for found in self._api.request("GET", "/api/datasources"):
            if self._is_ours(found) and found["uid"] not in keep:
                self._api.delete(f"/api/datasources/uid/{found['uid']}")

    def _is_ours(self, source: Mapping[str, Any]) -> bool:
        return bool((source.get("jsonData") or {}).get(MARK) == self._prefix)


def _is_part(wanted: Any, there: Any) -> bool:
    """Return whether `there` contains everything in `wanted`; Grafana may add more."""
    if isinstance(wanted, dict) and isinstance(there, dict):
        return all(key in there and _is_part(value, there[key]) for key, value in wanted.items())
    if isinstance(wanted, list) and isinstance(there, list):
        return len(wanted) == len(there) and all(map(_is_part, wanted, there))
    return bool(wanted == there)
