"""Emulated Grafana of Amazon Managed Grafana workspaces, at the endpoints of the service."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from functools import partial

from scripts.cloud.extensions.observability.grafana import GrafanaService

from .site import Site

HOST = re.compile(r"(g-[a-z0-9]{10})\.grafana-workspace\.([a-z0-9-]+)\.amazonaws\.com")


def site_of(account: str, region: str, workspace_id: str) -> Site | None:
    """Return the emulated Grafana of a workspace; None if the workspace does not exist."""
    workspace = GrafanaService.records(account, region, "workspaces").get(workspace_id)
    if workspace is None:
        return None
    sites = GrafanaService.records(account, region, "sites")
    if workspace_id not in sites:
        sites[workspace_id] = {"site": Site(version="", roles=partial(_role, account, region, workspace_id))}
    site: Site = sites[workspace_id]["site"]
    settings = GrafanaService.records(account, region, "configurations")[workspace_id]
    plugins = json.loads(settings["configuration"]).get("plugins", {})
    site.plugin_admin = plugins.get("pluginAdminEnabled", False)
    site.version = workspace["grafanaVersion"]
    site.busy += settings.pop("restarts", 0)
    return site


def answer(
    account: str, method: str, url: str, headers: Mapping[str, str], body: bytes | None
) -> tuple[int, bytes]:
    """Respond to a request to the endpoint of a workspace."""
    found = HOST.search(url)
    site = site_of(account, found[2], found[1]) if found else None
    if site is None:
        return 404, b"{}"
    status, response = site.answer(method, url, headers, body)
    return status, json.dumps(response).encode()


def _role(account: str, region: str, workspace_id: str, key: str) -> str | None:
    """Return the role of a token; None if it is unknown or expired."""
    accounts = GrafanaService.records(account, region, "accounts")
    for path, token in GrafanaService.records(account, region, "tokens").items():
        if token["workspaceId"] == workspace_id and token["key"] == key and token["expires"] > time.time():
            role: str = accounts[path.rpartition("/")[0]]["grafanaRole"]
            return role
    return None
