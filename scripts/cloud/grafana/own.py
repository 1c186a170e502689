"""Emulated Grafana at the URL that a profile sets for an existing Grafana.

A rehearsal does not send requests to the real Grafana. The emulated Grafana accepts any token as an
administrator's token. A token with the prefix `TOKEN` also sets the version of the emulated Grafana.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from scripts.cloud.extensions.observability.grafana import GrafanaService

from .site import Site

_LOOPBACK = re.compile(r"localhost|127\.[0-9.]+|\[::1\]")
_VERSION = "12.4"

TOKEN = "glsa_rehearsal_"
"""Prefix of a token that ends in the version of the emulated Grafana."""


def is_emulated(host: str) -> bool:
    """Return whether a host is emulated; loopback addresses of this computer are not emulated."""
    return _LOOPBACK.fullmatch(re.sub(r":[0-9]+$", "", host)) is None


def answer(
    account: str, region: str, method: str, url: str, headers: Mapping[str, str], body: bytes | None
) -> tuple[int, bytes]:
    """Respond to a request to the Grafana at this URL."""
    sites = GrafanaService.records(account, region, "own")
    host = urlsplit(url).netloc
    if host not in sites:
        sites[host] = {"site": Site(version=_VERSION, roles=lambda token: "ADMIN" if token else None)}
    site: Site = sites[host]["site"]
    _, prefix, version = headers.get("Authorization", "").partition(TOKEN)
    if prefix:
        site.version = version
    status, response = site.answer(method, url, headers, body)
    return status, json.dumps(response).encode()
