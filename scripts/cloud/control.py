"""The embedded cloud's own HTTP API for faults, time, nodes, reservations, jobs, files and Kubernetes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qs

from . import external_events
from .clients import ACCOUNT_ID
from .engine.backend import Backends
from .engine.stack import Stack
from .faults import Fault, FaultError, Faults
from .simulation.requests import REQUESTS, answer
from .state import CONTROL
from .timeline import report

_Start = Callable[..., Any]
_EVENTS = ("machines", "reservations")


class Control:
    """A WSGI application that serves `/_ultracluster/`, and passes other requests to moto's application."""

    def __init__(self, app: Any, backends: Backends, faults: Faults, account: str = ACCOUNT_ID) -> None:
        self._app, self._backends, self._faults, self._account = app, backends, faults, account

    def __call__(self, environ: dict[str, Any], start_response: _Start) -> Iterable[bytes]:
        """Respond to a request, or pass it to moto."""
        path = environ.get("PATH_INFO", "")
        if not path.startswith(CONTROL):
            handed: Iterable[bytes] = self._app(environ, start_response)
            return handed
        try:
            status, answer = self._answer(path.removeprefix(CONTROL), environ)
        except (FaultError, KeyError, TypeError, ValueError) as error:
            status, answer = "400 Bad Request", {"error": str(error)}
        start_response(status, [("Content-Type", "application/json")])
        return [json.dumps(answer).encode()]

    def _answer(self, name: str, environ: dict[str, Any]) -> tuple[str, Any]:
        method = environ["REQUEST_METHOD"]
        body = (
            environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)) if method == "POST" else b""
        )
        if name in REQUESTS:
            return "200 OK", answer(name, json.loads(body or b"{}"))
        if name in _EVENTS and method == "POST":
            return self._occur(name, json.loads(body))
        if name == "faults" and method == "POST":
            self._faults.inject(Fault(**json.loads(body)))
        elif name == "faults" and method == "DELETE":
            self._faults.clear()
        if name == "faults":
            return "200 OK", self._faults.listed()
        if name == "timeline":
            query = parse_qs(environ.get("QUERY_STRING", ""))
            stack = self._find(query.get("stack", [""])[0])
            absent = {"error": "the stack does not exist"}
            return ("200 OK", report(stack)) if stack else ("404 Not Found", absent)
        named = ", ".join((*REQUESTS, *_EVENTS))
        missing = {"error": f"the path {name} does not exist; use faults, timeline, {named}"}
        return "404 Not Found", missing

    def _occur(self, name: str, wanted: dict[str, Any]) -> tuple[str, Any]:
        region = wanted.pop("region")
        if name == "reservations":
            return "200 OK", {"bought": external_events.buy_reservation(self._account, region, wanted)}
        found = external_events.fail_instance(self._account, region, wanted["instance_id"])
        missing = {"error": f"the instance {wanted['instance_id']} does not exist in {region}"}
        return ("200 OK", {}) if found else ("404 Not Found", missing)

    def _find(self, stack: str) -> Stack | None:
        found = [
            s for backend in self._backends.all() for s in backend.stacks.values() if stack in (s.id, s.name)
        ]
        return found[-1] if found else None
