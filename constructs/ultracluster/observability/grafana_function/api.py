"""Client for the Grafana HTTP API.

https://grafana.com/docs/grafana/latest/developers/http_api/
"""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError

from .retries import RefusedError, Retries

ANSWERS_IN_S = 30
TOKEN_SPREADS_S = 60  # a Grafana may reject a new token for some time
PASSING = (429, 500, 502, 503, 504)


class ApiError(RefusedError):
    """A request that Grafana rejects."""

    def __init__(self, status: int, message: str) -> None:
        """`status` is the HTTP status."""
        super().__init__(message)
        self.status = status


class Api:
    """A Grafana whose API calls are retried."""

    def __init__(self, url: str, token: str, retries: Retries) -> None:
        """`url` is the URL of Grafana; `token` is sent only to it."""
        self.url = url.rstrip("/")
        self._headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Accept": "application/json",
        }
        self._retries, self._began_s = retries, retries.passed_s()

    def get(self, path: str) -> Any:
        """Return the object at a path; None if it does not exist."""
        try:
            return self.request("GET", path)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def delete(self, path: str) -> None:
        """Delete the object at a path, if it exists."""
        try:
            self.request("DELETE", path)
        except ApiError as error:
            if error.status != 404:
                raise

    def request(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Send a request until there is a response, since a starting Grafana does not respond."""
        while True:
            try:
                return self._send(method, path, body)
            except HTTPError as error:
                said = f"{method} {path}: {error.code} {_message(error)}"
                spreads = error.code == 401 and self._retries.passed_s() - self._began_s <= TOKEN_SPREADS_S
                if error.code not in PASSING and not spreads:
                    raise ApiError(error.code, f"{self.url}: {said}") from error
                reason = said
            except (
                OSError,
                HTTPException,
            ) as error:  # a lost connection, or an invalid response of a starting proxy
                reason = f"{method} {path}: {error}"
            self._retries.wait(f"{self.url} still fails: {reason}")

    def _send(self, method: str, path: str, body: Mapping[str, Any] | None) -> Any:
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
