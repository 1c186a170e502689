"""S3 Express One Zone directory buckets, which have their own endpoints and sessions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from moto.core.responses import ActionResult
from moto.s3.models import FakeBucket, S3Backend
from moto.s3.responses import S3Response

from scripts.cloud.extensions.patch import add
from scripts.cloud.extensions.records import now

SUFFIX = "--x-s3"  # https://docs.aws.amazon.com/AmazonS3/latest/userguide/directory-bucket-naming-rules.html
_CONTROL = "s3express-control."

_by_subdomain: Callable[[Any], bool] = S3Response.subdomain_based_buckets
_location: Callable[[S3Response], str | None] = S3Response._get_location_constraint
_get: Callable[..., Any] = S3Response._bucket_response_get
_buckets: Callable[..., list[FakeBucket]] = S3Backend.list_buckets
_list: Callable[[S3Response], Any] = S3Response.all_buckets


def _subdomain_based_buckets(request: Any) -> bool:
    """Return False for the control endpoint, whose requests contain the bucket's name in the path."""
    host = request.headers.get("host") or ""
    return not host.startswith(_CONTROL) and _by_subdomain(request)


def _location_constraint(self: S3Response) -> str | None:
    """Return the bucket's Region, because a request for a directory bucket contains a zone and no Region."""
    if not self.bucket_name.endswith(SUFFIX):
        return _location(self)
    return None if self.region == "us-east-1" else self.region


def _bucket_get(self: S3Response, bucket_name: str, querystring: dict[str, Any]) -> Any:
    if "session" not in querystring:
        return _get(self, bucket_name, querystring)
    self.backend.get_bucket(bucket_name)
    self.data["Action"] = "CreateSession"
    credentials = {
        "AccessKeyId": self.access_key,
        "SecretAccessKey": "embedded",
        "SessionToken": "embedded",
        "Expiration": now() + timedelta(minutes=5),
    }
    return self.serialized(ActionResult({"Credentials": credentials}))


def _list_buckets(self: S3Backend, *arguments: Any, **named: Any) -> list[FakeBucket]:
    return [b for b in _buckets(self, *arguments, **named) if not b.name.endswith(SUFFIX)]


def _all_buckets(self: S3Response) -> Any:
    if not (self.headers.get("host") or "").startswith(_CONTROL):
        return _list(self)
    found = [b for b in self.backend.buckets.values() if b.name.endswith(SUFFIX)]
    self.data["Action"] = "ListDirectoryBuckets"
    named = [{"Name": bucket.name, "CreationDate": bucket.creation_date_ISO8601} for bucket in found]
    return self.serialized(ActionResult({"Buckets": named}))


def install() -> None:
    """Install directory buckets in moto's S3."""
    add(
        S3Response,
        subdomain_based_buckets=staticmethod(_subdomain_based_buckets),
        _get_location_constraint=_location_constraint,
        _bucket_response_get=_bucket_get,
        all_buckets=_all_buckets,
    )
    add(S3Backend, list_buckets=_list_buckets)
