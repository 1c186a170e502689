"""Wait condition handles, and conditions that wait for their signals.

A signal is an object that is uploaded to the handle's URL; the embedded cloud stores it in a bucket. Nodes
and functions do not run in parallel to the engine, so no signal arrives while a condition waits. Existing
signals count; if a signal is missing, the condition fails immediately.
"""

# ruff: noqa: D102 - Model describes the methods

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote, unquote, urlparse

from scripts.cloud.template.errors import ResourceFailedError

from .base import Context, Created, Existing, Model, Properties


def _bucket(context: Context) -> str:
    return f"cloudformation-waitcondition-{context.region}"


class WaitConditionHandle(Model):
    """A URL for signals. Without a condition, the handle is only a resource to depend on."""

    type = "AWS::CloudFormation::WaitConditionHandle"

    def create(self, context: Context, properties: Properties) -> Created:
        s3, bucket = context.client("s3"), _bucket(context)
        if all(known["Name"] != bucket for known in s3.list_buckets()["Buckets"]):
            where = {} if context.region == "us-east-1" else {"LocationConstraint": context.region}
            s3.create_bucket(Bucket=bucket, **({"CreateBucketConfiguration": where} if where else {}))
            s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
        key = f"{context.stack_id}/{context.logical_id}/{context.generation}"
        url = f"https://{bucket}.s3.{context.region}.amazonaws.com/{quote(key, safe='')}"
        return Created(url, {"Id": url})

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        return existing.attributes  # the handle has no properties

    def delete(self, context: Context, existing: Existing) -> None:
        s3, bucket, key = context.client("s3"), _bucket(context), _key(existing.physical_id)
        for version in _versions(s3, bucket, key):
            s3.delete_object(Bucket=bucket, Key=key, VersionId=version["VersionId"])


class WaitCondition(Model):
    """A condition that requires `Count` success signals with different ids."""

    type = "AWS::CloudFormation::WaitCondition"

    def create(self, context: Context, properties: Properties) -> Created:
        wanted = int(properties.get("Count", 1))
        signals = _signals(context, properties["Handle"]) if "Handle" in properties else {}
        for signal in signals.values():
            if signal["Status"] == "FAILURE":
                raise ResourceFailedError(
                    f"WaitCondition received failed message: '{signal.get('Reason', '')}'"
                )
        if len(signals) < wanted:
            message = f"WaitCondition timed out. Received {len(signals)} conditions when expecting {wanted}"
            raise ResourceFailedError(message)
        data = json.dumps({name: signal.get("Data", "") for name, signal in sorted(signals.items())})
        physical_id = context.generated_name(128)
        return Created(physical_id, {"Data": data, "Id": physical_id})

    def delete(self, context: Context, existing: Existing) -> None:
        """The condition exists only in the stack."""


def _key(url: str) -> str:
    return unquote(urlparse(url).path.lstrip("/"))


def _versions(s3: Any, bucket: str, key: str) -> list[dict[str, Any]]:
    listed = s3.list_object_versions(Bucket=bucket, Prefix=key)
    return [*listed.get("Versions", []), *listed.get("DeleteMarkers", [])]


def _signals(context: Context, handle: str) -> dict[str, dict[str, Any]]:
    s3, bucket, key = context.client("s3"), _bucket(context), _key(handle)
    signals = {}
    for version in _versions(s3, bucket, key):
        body = s3.get_object(Bucket=bucket, Key=key, VersionId=version["VersionId"])["Body"].read()
        signal = json.loads(body)
        signals[signal["UniqueId"]] = signal
    return signals
