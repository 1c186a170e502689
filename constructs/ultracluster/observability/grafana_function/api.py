"""Grafana's HTTP API.

https://grafana.com/docs/grafana/latest/developers/http_api/
"""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError

from .patience import Patience, RefusedError

ANSWERS_IN_S = 30
TOKEN_SPREADS_S = 60  # a token that was just made, or a Grafana that just started, may not know it yet
PASSING = (429, 500, 502, 503, 504)


class ApiError(RefusedError):
    """What Grafana refuses."""

    def __init__(self, status: int, message: str) -> None:
        """`status` is HTTP's."""
        super().__init__(message)
        self.status = status


class Api:
    """One Grafana, asked with patience."""

    def __init__(self, url: str, token: str, patience: Patience) -> None:
        """`url` is its address; `token` is never told to anybody else."""
        self.url = url.rstrip("/")
        self._headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Accept": "application/json",
        }
        self._patience, self._began_s = patience, patience.passed_s()

    def get(self, path: str) -> Any:
        """What is there; None where nothing is."""
        try:
            return self.ask("GET", path)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def delete(self, path: str) -> None:
        """Delete what may be there."""
        try:
            self.ask("DELETE", path)
        except ApiError as error:
            if error.status != 404:
                raise

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Ask until there is an answer: a Grafana that starts has none."""
        while True:
            try:
                return self._ask(method, path, body)
            except HTTPError as error:
                said = f"{method} {path}: {error.code} {_message(error)}"
                spreads = error.code == 401 and self._patience.passed_s() - self._began_s <= TOKEN_SPREADS_S
                if error.code not in PASSING and not spreads:
                    raise ApiError(error.code, f"{self.url}: {said}") from error
                reason = said
            except (OSError, HTTPException) as error:  # cut off, or no answer of HTTP: a proxy that starts
                reason = f"{method} {path}: {error}"
            self._patience.wait(f"{self.url} still answers {reason}")

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}{path}", data, self._headers, method=method)
        with urllib.request.urlopen(request, timeout=ANSWERS_IN_S) as answer:
            said = answer.read()
        return json.loads(said) if said else {}


def _message(error: HTTPError) -> str:
    try:
        return str(json.loads(error.read()).get("message", ""))
    except (ValueError, AttributeError, OSError):
        return ""
