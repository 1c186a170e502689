"""A client of the API server: objects in, objects and refusals out."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import urllib3

Object = Mapping[str, Any]

T = TypeVar("T")

_PATIENCE_S = 60.0
_FIRST_STEP_S, _LAST_STEP_S, _GROWTH = 0.05, 2.0, 1.3


class RejectedError(Exception):
    """The API server rejects a request; the message is the server's."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind that the server has: its collection's path without the namespace, and its name."""

    root: str
    plural: str
    namespaced: bool

    def path(self, namespace: str = "", name: str = "", part: str = "") -> str:
        """Return the path of a collection or object; without a namespace, that of all namespaces."""
        place = f"{self.root}/namespaces/{namespace}" if self.namespaced and namespace else self.root
        return "/".join(filter(None, (place, self.plural, name, part)))


class Client:
    """Requests of one identity; `user` and `groups` impersonate another one."""

    def __init__(self, url: str, authority: Path, token: str, user: str = "", groups: tuple[str, ...] = ()):
        self.url, self._authority, self._token = url, authority, token
        self._pool = urllib3.PoolManager(ca_certs=str(authority), maxsize=4, retries=False)
        self._headers = {"Authorization": f"Bearer {token}"}
        if user:
            self._headers["Impersonate-User"] = user
        self._groups = groups
        self._kinds: dict[tuple[str, str], Kind] = {}

    def acting_as(self, user: str, *groups: str) -> Client:
        """Return a client that acts as this user in these groups."""
        return Client(self.url, self._authority, self._token, user, groups)

    def request(self, method: str, path: str, body: Any = None, form: str = "application/json") -> Any:
        """Send a request; return the object or raise RejectedError."""
        return json.loads(self.text(path, method, body, form) or "{}")

    def text(self, path: str, method: str = "GET", body: Any = None, form: str = "application/json") -> str:
        """Send a request; return what the server answers or raise RejectedError."""
        headers = urllib3.HTTPHeaderDict({**self._headers, "Content-Type": form})
        for group in self._groups:
            headers.add("Impersonate-Group", group)
        content = None if body is None else json.dumps(body).encode()
        answer = self._pool.request(method, self.url + path, body=content, headers=headers, timeout=30.0)
        found = answer.data.decode(errors="replace")
        if answer.status >= 400:
            raise RejectedError(answer.status, _message(found))
        return found

    def kind(self, api_version: str, kind: str) -> Kind:
        """Return how the server names a kind; raise RejectedError if it does not have it."""
        key = (api_version, kind)
        if key not in self._kinds:
            root = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
            for row in self.request("GET", root)["resources"]:
                if "/" not in row["name"]:
                    self._kinds[api_version, row["kind"]] = Kind(
                        root=root, plural=row["name"], namespaced=row["namespaced"]
                    )
        if key not in self._kinds:
            raise RejectedError(404, f'no matches for kind "{kind}" in version "{api_version}"')
        return self._kinds[key]

    def _of(self, one: Object) -> tuple[Kind, str, str]:
        metadata = one["metadata"]
        kind = self.kind(one["apiVersion"], one["kind"])
        return kind, metadata.get("namespace", "default") if kind.namespaced else "", metadata.get("name", "")

    def create(self, one: Object, *, dry_run: bool = False) -> dict[str, Any]:
        """Create an object as kubectl does: fields that its schema does not have are rejected."""
        kind, namespace, _ = self._of(one)
        query = "?fieldValidation=Strict" + ("&dryRun=All" if dry_run else "")
        found: dict[str, Any] = self.request("POST", kind.path(namespace) + query, one)
        return found

    def apply(self, one: Object) -> dict[str, Any]:
        """Create or change an object by server-side apply."""
        kind, namespace, name = self._of(one)
        query = "?fieldManager=tests&force=true&fieldValidation=Strict"
        found: dict[str, Any] = self.request(
            "PATCH", kind.path(namespace, name) + query, one, "application/apply-patch+yaml"
        )
        return found

    def get(self, api_version: str, kind: str, name: str, namespace: str = "") -> dict[str, Any]:
        """Return an object."""
        found: dict[str, Any] = self.request("GET", self.kind(api_version, kind).path(namespace, name))
        return found

    def list(
        self, api_version: str, kind: str, namespace: str = "", labels: str = ""
    ) -> list[dict[str, Any]]:
        """Return the objects of a kind; `labels` selects them as `a=b,c`."""
        path = self.kind(api_version, kind).path(namespace)
        query = f"?labelSelector={labels}" if labels else ""
        items: list[dict[str, Any]] = self.request("GET", path + query)["items"]
        return items

    def patch(self, one: Object, change: Any, *, part: str = "") -> dict[str, Any]:
        """Merge a change into an object or one of its parts, such as `status`."""
        kind, namespace, name = self._of(one)
        found: dict[str, Any] = self.request(
            "PATCH", kind.path(namespace, name, part), change, "application/merge-patch+json"
        )
        return found

    def delete(self, one: Object) -> None:
        """Delete an object; one that does not exist is no fault."""
        kind, namespace, name = self._of(one)
        try:
            self.request("DELETE", kind.path(namespace, name), {"propagationPolicy": "Background"})
        except RejectedError as error:
            if error.status != 404:
                raise

    def remove(self, one: Object) -> None:
        """Delete an object without waiting for its finalizers."""
        kind, namespace, name = self._of(one)
        path = kind.path(namespace, name)
        for _ in range(3):
            try:
                found = self.request(
                    "DELETE", path, {"gracePeriodSeconds": 0, "propagationPolicy": "Background"}
                )
                if found.get("metadata", {}).get("finalizers"):
                    change = {"metadata": {"finalizers": None}}
                    self.request("PATCH", path, change, "application/merge-patch+json")
            except RejectedError as error:
                if error.status == 404:
                    return
                if error.status != 409:
                    raise

    def remove_all(self, api_version: str, kind: str, namespace: str = "") -> None:
        """Delete all objects of a kind at once; without a namespace, in all namespaces."""
        try:
            found = self.list(api_version, kind, namespace)
        except RejectedError as error:
            if error.status == 404:  # the kind is not defined
                return
            raise
        for one in found:
            if one["metadata"].get("finalizers"):
                self.remove({"apiVersion": api_version, "kind": kind, "metadata": one["metadata"]})
        for place in {one["metadata"].get("namespace", "") for one in found}:
            path = self.kind(api_version, kind).path(place)
            self.request("DELETE", path, {"gracePeriodSeconds": 0, "propagationPolicy": "Background"})


def _message(answer: str) -> str:
    try:
        return str(json.loads(answer)["message"])
    except (ValueError, KeyError):
        return answer


def wait(question: Callable[[], T], what: str, patience_s: float = _PATIENCE_S) -> T:
    """Return the first answer that is true; rejected questions count as not yet true."""
    until = time.monotonic() + patience_s
    last, step = "no answer", _FIRST_STEP_S
    while time.monotonic() < until:
        try:
            if answer := question():
                return answer
            last = repr(answer)[:300]
        except (RejectedError, urllib3.exceptions.HTTPError) as error:
            last = f"{error}"[:300]
        time.sleep(step)
        step = min(step * _GROWTH, _LAST_STEP_S)
    raise AssertionError(f"{what} did not happen in {patience_s:g} s: {last}")
