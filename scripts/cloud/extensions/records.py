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
    """Return the records of one type in a backend by id; they are deleted when the backend is reset."""
    tables: dict[str, dict[str, Record]] = vars(backend).setdefault("_embedded_cloud", {})
    return tables.setdefault(kind, {})


def parsed(response: BaseResponse) -> Record:
    """Return the parameters of a request, from path and body, parsed by the service's model."""
    response.parse_parameters(response.normalized_request)
    return dict(response.params)


def short_id(*seed: str, length: int = 10) -> str:
    """Return letters and digits that depend only on the seed."""
    return hashlib.sha256("/".join(seed).encode()).hexdigest()[:length]


def next_number(backend: Any, kind: str) -> int:
    """Return the next number of a record type."""
    counters: dict[str, int] = vars(backend).setdefault("_embedded_counters", {})
    counters[kind] = counters.get(kind, 0) + 1
    return counters[kind]


def next_id(backend: Any, kind: str, length: int = 10) -> str:
    """Return the id of the next record of a type: unique, and equal in each run."""
    number = str(next_number(backend, kind))
    return short_id(backend.account_id, backend.region_name, kind, number, length=length)


def now() -> Any:
    """Return the current time, for records."""
    return calendar.now()
