"""How an account is asked: one call at a time, each answered, missing, or not answered with the reason."""

from __future__ import annotations

import json
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from botocore import xform_name

_PREFIXES = {"service-quotas": "servicequotas", "sso-admin": "sso"}
"""Services whose permissions begin otherwise than their clients are called
(https://docs.aws.amazon.com/service-authorization/latest/reference/list_servicequotas.html and
https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsiamidentitycenter.html)."""

_ACTIONS = {
    ("s3", "HeadBucket"): "s3:ListBucket",
    ("s3", "GetBucketEncryption"): "s3:GetEncryptionConfiguration",
}
"""Operations whose permission has another name; all others are called as their operation
(https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html and
https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketEncryption.html)."""


class UnansweredError(Exception):
    """A question that got no answer: the message says why. It fails nothing."""


class MissingError(Exception):
    """There is no such thing: an answer as well."""


class GoneError(Exception):
    """Nobody can be asked any more, such as with a token that has expired meanwhile."""


class Source(Protocol):
    """An account, or what was recorded of one."""

    def ask(self, service: str, operation: str, region: str | None, parameters: dict[str, Any]) -> Any:
        """The answer as the AWS CLI prints it, all pages in one; MissingError, UnansweredError or GoneError."""


class Ask(Protocol):
    """One question: service and operation by the API's names, and the API's parameters."""

    def __call__(self, service: str, operation: str, /, region: str | None = None, **parameters: Any) -> Any:
        """The answer, as `Source` gives it; `region` is another one than the profile's."""


def action_of(service: str, operation: str) -> str:
    """The permission that an operation takes: `ec2:DescribeSubnets`."""
    named = _ACTIONS.get((service, operation))
    return named or f"{_PREFIXES.get(service, service)}:{operation}"


def call_name(service: str, operation: str) -> str:
    """A call as the AWS CLI names it: `ec2.describe-subnets`, and `s3api.head-bucket`."""
    return f"{'s3api' if service == 's3' else service}.{xform_name(operation, '-')}"


def plain(value: Any) -> Any:
    """An answer as JSON has it: moments in ISO 8601, as the AWS CLI prints them."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items() if key != "ResponseMetadata"}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value


@dataclass(frozen=True, kw_only=True)
class _Key:
    service: str
    operation: str
    region: str | None
    parameters: str


class Shared:
    """Asks a source; the same question of several checks is asked once, by whoever comes first."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lock, self._asked = threading.Lock(), dict[_Key, Future[Any]]()

    def __call__(self, service: str, operation: str, /, region: str | None = None, **parameters: Any) -> Any:
        """The answer, as `Source` gives it."""
        key = _Key(
            service=service,
            operation=operation,
            region=region,
            parameters=json.dumps(parameters, sort_keys=True),
        )
        with self._lock:
            future, first = self._asked.get(key), key not in self._asked
            if future is None:
                future = self._asked[key] = Future()
        if first:
            try:
                future.set_result(self._source.ask(service, operation, region, parameters))
            except BaseException as error:
                future.set_exception(error)
        return future.result()
