"""What a service remembers: records in its backend, one backend for each account and Region of moto."""

from __future__ import annotations

import hashlib
from typing import Any

from moto.core.exceptions import ServiceException
from moto.core.responses import BaseResponse

from . import calendar

Record = dict[str, Any]


class RefusedError(ServiceException):
    """What a service answers to a request that it does not carry out: its own code, and a message."""


def table(backend: Any, kind: str) -> dict[str, Record]:
    """The records of one kind in a backend, by their id; gone when the backend is reset."""
    tables: dict[str, dict[str, Record]] = vars(backend).setdefault("_embedded_cloud", {})
    return tables.setdefault(kind, {})


def parsed(response: BaseResponse) -> Record:
    """The parameters of a request by the service's own model, path and body together."""
    response.parse_parameters(response.normalized_request)
    return dict(response.params)


def short_id(*seed: str, length: int = 10) -> str:
    """Letters and digits that follow from the seed alone."""
    return hashlib.sha256("/".join(seed).encode()).hexdigest()[:length]


def next_number(backend: Any, kind: str) -> int:
    """One more than the last record of a kind had."""
    counters: dict[str, int] = vars(backend).setdefault("_embedded_counters", {})
    counters[kind] = counters.get(kind, 0) + 1
    return counters[kind]


def next_id(backend: Any, kind: str, length: int = 10) -> str:
    """The id of the next record of a kind: no two are alike, and each run gives the same."""
    number = str(next_number(backend, kind))
    return short_id(backend.account_id, backend.region_name, kind, number, length=length)


def now() -> Any:
    """The time that records carry."""
    return calendar.now()
