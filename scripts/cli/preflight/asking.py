"""Queries of an account: each returns an answer, finds no resource, or fails with a reason."""

from __future__ import annotations

import json
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from botocore import xform_name

_PREFIXES = {"service-quotas": "servicequotas", "sso-admin": "sso"}
"""Services whose IAM prefix differs from their client name
(https://docs.aws.amazon.com/service-authorization/latest/reference/list_servicequotas.html and
https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsiamidentitycenter.html)."""

_ACTIONS = {
    ("s3", "HeadBucket"): "s3:ListBucket",
    ("s3", "GetBucketEncryption"): "s3:GetEncryptionConfiguration",
}
"""Operations whose permission has another name than the operation
(https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html and
https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketEncryption.html)."""


class UnansweredError(Exception):
    """A query without an answer; the message is the reason. An unanswered query does not fail the run."""


class MissingError(Exception):
    """The queried resource does not exist."""


class GoneError(Exception):
    """Further queries are impossible, for example because the token has expired."""


class Source(Protocol):
    """An account, or its recorded answers."""

    def ask(self, service: str, operation: str, region: str | None, parameters: dict[str, Any]) -> Any:
        """Return the answer as the AWS CLI prints it; raises MissingError, UnansweredError or GoneError."""


class Ask(Protocol):
    """Function that sends a query: service and operation by their API names, and the API's parameters."""

    def __call__(self, service: str, operation: str, /, region: str | None = None, **parameters: Any) -> Any:
        """Return the answer as `Source` does; `region` is a Region other than the profile's."""


def action_of(service: str, operation: str) -> str:
    """Return the permission that an operation requires: `ec2:DescribeSubnets`."""
    named = _ACTIONS.get((service, operation))
    return named or f"{_PREFIXES.get(service, service)}:{operation}"


def call_name(service: str, operation: str) -> str:
    """Return a call as the AWS CLI names it: `ec2.describe-subnets`, `s3api.head-bucket`."""
    return f"{'s3api' if service == 's3' else service}.{xform_name(operation, '-')}"


def plain(value: Any) -> Any:
    """Return an answer as JSON data: times in ISO 8601, as the AWS CLI prints them."""
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
    """Queries a source; identical queries of several checks are sent only once."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lock, self._asked = threading.Lock(), dict[_Key, Future[Any]]()

    def __call__(self, service: str, operation: str, /, region: str | None = None, **parameters: Any) -> Any:
        """Return the answer of the source."""
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
