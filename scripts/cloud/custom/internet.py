"""Internet addresses that the embedded cloud serves for a provider's function.

A call of `urllib.request.urlopen` (by that name) to one of these addresses is served in this process. Other
addresses use the network of this computer.
"""

from __future__ import annotations

import io
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import Message
from http import HTTPStatus
from typing import Any
from unittest.mock import patch
from urllib.error import HTTPError
from urllib.response import addinfourl

from scripts.cloud.grafana import managed, own

from .environment import Environment


@contextmanager
def internet(environment: Environment) -> Iterator[None]:
    """Serve the Grafana addresses in this process inside the `with` statement."""
    real = urllib.request.urlopen

    def urlopen(address: Any, *args: Any, **kwargs: Any) -> Any:
        request = address if isinstance(address, urllib.request.Request) else None
        if request is None:
            return real(address, *args, **kwargs)
        if managed.HOST.fullmatch(request.host):
            return _ask(request, managed.answer, environment.account_id)
        if _is_own_grafana(request):
            return _ask(request, own.answer, environment.account_id, environment.region)
        return real(address, *args, **kwargs)

    with patch.object(urllib.request, "urlopen", urlopen):
        yield


def _is_own_grafana(request: urllib.request.Request) -> bool:
    """Return whether a request has a token and is for the API of an emulated existing Grafana."""
    signed = request.get_header("Authorization", "").startswith("Bearer ")
    return signed and "/api/" in request.selector and own.is_emulated(request.host)


def _ask(
    request: urllib.request.Request, answer: Callable[..., tuple[int, bytes]], *place: str
) -> addinfourl:
    body = request.data if isinstance(request.data, bytes) else None
    # urllib writes only the first letter of a header name as a capital
    headers = {name.title(): value for name, value in request.header_items()}
    status, content = answer(*place, request.get_method(), request.full_url, headers, body)
    if status >= HTTPStatus.BAD_REQUEST:
        reason = HTTPStatus(status).phrase
        raise HTTPError(request.full_url, status, reason, Message(), io.BytesIO(content))
    return addinfourl(io.BytesIO(content), Message(), request.full_url, status)
