"""Buckets for data that a Lustre file system links to, and for their access logs."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ultracluster.retention import Retention


@dataclass(frozen=True, slots=True, kw_only=True)
class LogBucketProps:
    """A bucket that takes other buckets' server access logs.

    Attributes:
        name: The Name tag; the bucket's own name is generated.
        log_retention_days: After how many days a log object expires.
        retention: Whether the bucket outlives the stack.
        tags: Tags of the bucket.
    """

    name: str
    log_retention_days: int
    retention: Retention
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class DataBucketProps:
    """A bucket for datasets or checkpoints.

    Attributes:
        name: The Name tag and the prefix of its access logs; the bucket's own name is generated.
        noncurrent_version_expiration_days: After how many days an overwritten or deleted object is gone for
            good. Current objects never expire: a linked file system does not see expirations.
        access_log_bucket_name: Where server access logs go.
        retention: Whether the bucket outlives the stack. A disposable bucket must be empty to be deleted.
        key_arn: KMS key of new objects, used with a bucket key. None: S3's own encryption (SSE-S3).
        tags: Tags of the bucket.
    """

    name: str
    noncurrent_version_expiration_days: int
    access_log_bucket_name: str
    retention: Retention
    key_arn: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)


# class LogBucket(Construct): bucket_name: str; bucket_arn: str
# class DataBucket(Construct): bucket_name: str; bucket_arn: str
