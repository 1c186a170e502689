"""Corrections for directory buckets: the KMS key is fixed, and expired objects are deleted permanently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scripts.cloud.template.effects import Effect, Topic

from .model import Change, Correct, Correction
from .retention import shortest_retention_days

_KEYS = "https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-express-UsingKMSEncryption.html"
_LIFECYCLE = "https://docs.aws.amazon.com/AmazonS3/latest/userguide/directory-buckets-objects-lifecycle.html"
_RULE = ("BucketEncryption", "ServerSideEncryptionConfiguration", "0", "ServerSideEncryptionByDefault")


def _key(change: Change) -> Iterator[Correction]:
    was, will = change.sides(*_RULE, "KMSMasterKeyID")
    if was is not None and will is not None and was != will:
        reason = "S3 does not accept another KMS key for a directory bucket"
        hint = "keep the key, or create another bucket and copy the objects"
        yield Correction(("BucketEncryption",), Effect.REFUSED, reason, _KEYS, hint)


def _expiry(change: Change) -> Iterator[Correction]:
    if not change.differs("LifecycleConfiguration"):
        return
    was, will = (
        shortest_retention_days(side).get("objects") for side in change.sides("LifecycleConfiguration")
    )
    if will is not None and (was is None or will < was):
        reason = f"objects older than {will:g} days are deleted"
        path = ("LifecycleConfiguration",)
        yield Correction(path, Effect.IN_PLACE, reason, _LIFECYCLE, topic=Topic.DATA_EXPIRES)


CORRECTIONS: Mapping[str, tuple[Correct, ...]] = {"AWS::S3Express::DirectoryBucket": (_key, _expiry)}
