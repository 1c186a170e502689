"""An S3 Express One Zone directory bucket."""

import re
from dataclasses import dataclass
from typing import Any

from constructs import Construct

from ultracluster.cfn import Tagged, add_resource, attribute, policy, statement, sub, tag_list, tls_only
from ultracluster.retention import Retention
from ultracluster.storage.data_bucket import bucket_encryption

_LONGEST_NAME = 63
_ACCOUNT_ID = "0" * 12
_BASE = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectoryBucketProps(Tagged):
    """A bucket in the zone of its clients.

    Attributes:
        name: The Name tag.
        zone_id: ID of the Availability Zone or Local Zone (`use1-az4`). A change replaces the bucket.
        retention: Whether the bucket is retained. A disposable bucket must be empty when it is deleted.
        base_name: First part of the bucket's name, which must be unique in the zone. The whole name is
            `<base>-<account>--<zone id>--x-s3`. None by default: the name is generated, so that a stack whose
            old bucket was retained can be created again.
        key_arn: KMS key of new objects. A directory bucket supports only one customer managed key, which you
            cannot change later. None: SSE-S3 encryption.
        expiration_days: Days until objects expire, for example in a cache. None by default: never.
        abort_uploads_after_days: Days until incomplete multipart uploads are deleted. 7 by default.
    """

    name: str
    zone_id: str
    retention: Retention
    base_name: str | None = None
    key_arn: str | None = None
    expiration_days: int | None = None
    abort_uploads_after_days: int = 7


class DirectoryBucket(Construct):
    """A private bucket in one zone that accepts only TLS requests.

    If the zone fails, the bucket's data is lost. Directory buckets always block public access. Instances
    without internet access reach the bucket through a dedicated gateway endpoint
    (`ClusterNetworkProps.s3_express_endpoint`).

    Attributes:
        bucket_name: The bucket's name.
        bucket_arn: Its ARN, for policies with the action `s3express:CreateSession`.
    """

    def __init__(self, scope: Construct, construct_id: str, props: DirectoryBucketProps) -> None:
        """Create the bucket and its policy; raises ValueError for a name that S3 rejects."""
        super().__init__(scope, construct_id)
        _check(props)
        bucket = add_resource(
            self,
            "Resource",
            "AWS::S3Express::DirectoryBucket",
            {
                "BucketName": _name(props),
                "LocationName": props.zone_id,
                "DataRedundancy": _redundancy(props.zone_id),
                "BucketEncryption": bucket_encryption(props.key_arn),
                "LifecycleConfiguration": {"Rules": [_lifecycle(props)]},
                "Tags": tag_list(props.tags, props.name),
            },
            retention=props.retention,
        )
        self.bucket_name = bucket.ref
        self.bucket_arn = attribute(bucket, "Arn")
        properties = {"Bucket": self.bucket_name, "PolicyDocument": policy(_statements(self.bucket_arn))}
        add_resource(self, "Policy", "AWS::S3Express::BucketPolicy", properties, retention=props.retention)


def _name(props: DirectoryBucketProps) -> dict[str, str] | None:
    if props.base_name is None:
        return None
    return sub(f"{props.base_name}-${{AWS::AccountId}}--{props.zone_id}--x-s3")


def _redundancy(zone_id: str) -> str:
    # the ID of a Local Zone has one more part: usw2-lax1-az1
    return "SingleLocalZone" if zone_id.count("-") > 1 else "SingleAvailabilityZone"


def _lifecycle(props: DirectoryBucketProps) -> dict[str, Any]:
    days = {"DaysAfterInitiation": props.abort_uploads_after_days}
    rule = {"Id": "clean-up", "Status": "Enabled", "AbortIncompleteMultipartUpload": days}
    return {**rule, "ExpirationInDays": props.expiration_days}


def _statements(bucket_arn: str) -> list[dict[str, Any]]:
    """Return the statements that require TLS, and that allow the sessions of lifecycle rules.

    Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/directory-buckets-objects-lifecycle.html
    """
    return [
        tls_only(["s3express:*"], bucket_arn, sid="TlsOnly"),
        statement(
            ["s3express:CreateSession"],
            bucket_arn,
            sid="Lifecycle",
            principal={"Service": "lifecycle.s3.amazonaws.com"},
            condition={"StringEquals": {"s3express:SessionMode": "ReadWrite"}},
        ),
    ]


def _check(props: DirectoryBucketProps) -> None:
    if props.base_name is None:
        return
    # https://docs.aws.amazon.com/AmazonS3/latest/userguide/directory-bucket-naming-rules.html
    longest = _LONGEST_NAME - len(f"-{_ACCOUNT_ID}--{props.zone_id}--x-s3")
    if not _BASE.fullmatch(props.base_name):
        raise ValueError(f"base_name {props.base_name!r}: use lowercase letters, digits and hyphens")
    if len(props.base_name) > longest:
        raise ValueError(
            f"base_name {props.base_name!r} has {len(props.base_name)} characters: "
            f"the bucket name allows at most {longest}"
        )
