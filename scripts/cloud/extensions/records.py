"""Storage of services: records in a moto backend, one backend for each account and Region."""

from __future__ import annotations

import hashlib
from typing import Any

from moto.core.exceptions import ServiceException
from moto.core.responses import BaseResponse

from . import calendar

Record = dict[str, Any]


class RefusedError(ServiceException):
    """A service's error response: its own code, and a message."""


def table(backend: Any, kind: str) -> dict[str, Record]:
    """Return a backend's records of one type by id; a reset of the backend deletes the records."""
    tables: dict[str, dict[str, Record]] = vars(backend).setdefault("_embedded_cloud", {})
    return tables.setdefault(kind, {})


def parsed(response: BaseResponse) -> Record:
    """Return the parameters in the path and body of a request, parsed with the service's model."""
    response.parse_parameters(response.normalized_request)
    return dict(response.params)


def short_id(*seed: str, length: int = 10) -> str:
    """Return letters and digits that depend only on the seed."""
    return hashlib.sha256("/".join(seed).encode()).hexdigest()[:length]


def next_number(backend: Any, kind: str) -> int:
    """Return the next number for records of one type; the first number is 1."""
    counters: dict[str, int] = vars(backend).setdefault("_embedded_counters", {})
    counters[kind] = counters.get(kind, 0) + 1
    return counters[kind]


def next_id(backend: Any, kind: str, length: int = 10) -> str:
    """Return an id for the next record of a type; the id is unique, and is the same in each run."""
    number = str(next_number(backend, kind))
    return short_id(backend.account_id, backend.region_name, kind, number, length=length)


def now() -> Any:
    """Return the current time, for records."""
    return calendar.now()
