"""Buckets for data repositories of a Lustre file system, and for their access logs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from constructs import Construct

from ultracluster.cfn import Tagged, add_resource, attribute, policy, statement, tag_list, tls_only
from ultracluster.retention import Retention

PRIVATE: dict[str, Any] = {
    "OwnershipControls": {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]},
    "PublicAccessBlockConfiguration": dict.fromkeys(
        ("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"), True
    ),
}
"""Bucket properties that block public access."""
_ABORT_UPLOADS: dict[str, Any] = {"AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 7}}


@dataclass(frozen=True, slots=True, kw_only=True)
class LogBucketProps(Tagged):
    """A bucket for server access logs of other buckets.

    Attributes:
        name: The Name tag; the bucket name is generated.
        log_retention_days: Days until log objects expire.

    The bucket is always retained, even if the first creation rolls back. S3 can deliver logs at any time, and
    CloudFormation cannot delete a bucket that contains objects: the stack would remain in ROLLBACK_FAILED.
    The log objects expire, and an empty bucket does not cost anything.
    """

    name: str
    log_retention_days: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DataBucketProps(Tagged):
    """A bucket for datasets or checkpoints.

    Attributes:
        name: The Name tag and the prefix of its access logs; the bucket name is generated.
        noncurrent_version_expiration_days: Days until overwritten and deleted objects are deleted
            permanently. Current objects do not expire, because FSx does not import expirations.
        access_log_bucket_name: Bucket for server access logs. None disables the logs.
        retention: Whether the bucket is retained. A disposable bucket must be empty when it is deleted.
        key_arn: KMS key of new objects, with an S3 Bucket Key. None selects SSE-S3 encryption.
    """

    name: str
    noncurrent_version_expiration_days: int
    access_log_bucket_name: str | None
    retention: Retention
    key_arn: str | None = None


class LogBucket(Construct):
    """A bucket for access logs with SSE-S3 encryption, which log delivery requires.

    Attributes:
        bucket_name: The generated name.
        bucket_arn: Its ARN.
    """

    def __init__(self, scope: Construct, construct_id: str, props: LogBucketProps) -> None:
        """Create the bucket and its policy."""
        super().__init__(scope, construct_id)
        expiry = {"ExpirationInDays": props.log_retention_days, **_ABORT_UPLOADS}
        bucket = add_resource(
            self,
            "Resource",
            "AWS::S3::Bucket",
            {
                **PRIVATE,
                "BucketEncryption": bucket_encryption(None),
                "LifecycleConfiguration": {"Rules": [{"Id": "expire-logs", "Status": "Enabled", **expiry}]},
                "Tags": tag_list(props.tags, props.name),
            },
            retention=Retention.ALWAYS,
        )
        self.bucket_name = bucket.ref
        self.bucket_arn = attribute(bucket, "Arn")
        delivery = statement(
            ["s3:PutObject"],
            f"{self.bucket_arn}/*",
            sid="AccessLogDelivery",
            principal={"Service": "logging.s3.amazonaws.com"},
            condition={"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}},
        )
        _add_bucket_policy(self, self.bucket_name, self.bucket_arn, [delivery], Retention.ALWAYS)


class DataBucket(Construct):
    """A private, versioned bucket that is suitable as a data repository of a Lustre file system.

    The template does not define event notifications: FSx adds notifications to the bucket, and CDK's handler
    would overwrite them and break the association. Lifecycle rules delete only objects that a file system
    does not see (old versions, expired delete markers, incomplete uploads), because automatic import ignores
    expirations.

    Attributes:
        bucket_name: The generated name.
        bucket_arn: Its ARN.
    """

    def __init__(self, scope: Construct, construct_id: str, props: DataBucketProps) -> None:
        """Create the bucket and its policy."""
        super().__init__(scope, construct_id)
        bucket = add_resource(
            self,
            "Resource",
            "AWS::S3::Bucket",
            {
                **PRIVATE,
                "BucketEncryption": bucket_encryption(props.key_arn),
                "VersioningConfiguration": {"Status": "Enabled"},
                "LifecycleConfiguration": {"Rules": [_linked_lifecycle(props)]},
                "LoggingConfiguration": _access_logging(props),
                "Tags": tag_list(props.tags, props.name),
            },
            retention=props.retention,
        )
        self.bucket_name = bucket.ref
        self.bucket_arn = attribute(bucket, "Arn")
        _add_bucket_policy(self, self.bucket_name, self.bucket_arn, [], props.retention)


def _access_logging(props: DataBucketProps) -> dict[str, Any] | None:
    if props.access_log_bucket_name is None:
        return None
    return {"DestinationBucketName": props.access_log_bucket_name, "LogFilePrefix": f"{props.name}/"}


def _linked_lifecycle(props: DataBucketProps) -> dict[str, Any]:
    return {
        "Id": "expire-noncurrent",
        "Status": "Enabled",
        "NoncurrentVersionExpiration": {"NoncurrentDays": props.noncurrent_version_expiration_days},
        "ExpiredObjectDeleteMarker": True,
        **_ABORT_UPLOADS,
    }


def bucket_encryption(key_arn: str | None) -> dict[str, Any]:
    """Return the property BucketEncryption: a KMS key with an S3 Bucket Key, or SSE-S3."""
    algorithm = {"SSEAlgorithm": "aws:kms" if key_arn else "AES256", "KMSMasterKeyID": key_arn}
    rule = {"ServerSideEncryptionByDefault": algorithm, "BucketKeyEnabled": True if key_arn else None}
    return {"ServerSideEncryptionConfiguration": [rule]}


def _add_bucket_policy(
    scope: Construct,
    bucket_name: str,
    bucket_arn: str,
    statements: Sequence[Mapping[str, Any]],
    retention: Retention,
) -> None:
    encrypted = tls_only(["s3:*"], [bucket_arn, f"{bucket_arn}/*"], sid="TlsOnly")
    properties = {"Bucket": bucket_name, "PolicyDocument": policy([encrypted, *statements])}
    add_resource(scope, "Policy", "AWS::S3::BucketPolicy", properties, retention=retention)
