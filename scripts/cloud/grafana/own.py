"""A Grafana of one's own, which a profile names by its address: the embedded cloud plays that too.

The real one is never asked: what is deployed here is a rehearsal. It takes any token, as an administrator's,
and is of the version that the token tells, if one does.
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
"""How a token begins that tells a version."""


def is_played(host: str) -> bool:
    """Whether an address is one that is played: those of this machine are what they are."""
    return _LOOPBACK.fullmatch(re.sub(r":[0-9]+$", "", host)) is None


def answer(
    account: str, region: str, method: str, url: str, headers: Mapping[str, str], body: bytes | None
) -> tuple[int, bytes]:
    """Answer a request to the Grafana at that address."""
    sites = GrafanaService.records(account, region, "own")
    host = urlsplit(url).netloc
    if host not in sites:
        sites[host] = {"site": Site(version=_VERSION, roles=lambda token: "ADMIN" if token else None)}
    site: Site = sites[host]["site"]
    _, stated, version = headers.get("Authorization", "").partition(TOKEN)
    if stated:
        site.version = version
    status, told = site.answer(method, url, headers, body)
    return status, json.dumps(told).encode()
