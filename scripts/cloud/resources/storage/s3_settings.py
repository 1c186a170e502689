"""The settings of a bucket: each has a call of its own, and words that differ from the template's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from scripts.cloud.resources.base import Properties, found, known, only

from .s3_lifecycle import lifecycle_of, lifecycle_rule


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One property of a bucket: how it is set, taken back and read; `read` gives None where it is not set."""

    property: str
    put: Callable[[Any, str, Any], Any]
    remove: Callable[[Any, str], Any]
    read: Callable[[Any, str], Any]


def read_settings(s3: Any, bucket: str, *names: str) -> dict[str, Any]:
    """What a bucket is set to, in the words of CloudFormation."""
    asked = (setting for setting in SETTINGS if not names or setting.property in names)
    return known(**{setting.property: setting.read(s3, bucket) for setting in asked})


def put_settings(s3: Any, bucket: str, old: Properties, new: Properties, *names: str) -> None:
    """Set what is new, and take back what is no longer there; of some settings, or of all."""
    for setting in SETTINGS:
        before, after = (properties.get(setting.property) for properties in (old, new))
        if names and setting.property not in names:
            continue
        if after is not None and after != before:
            setting.put(s3, bucket, after)
        elif after is None and before is not None:
            setting.remove(s3, bucket)


def encryption_rules(value: Properties) -> list[dict[str, Any]]:
    """Rules of encryption as the API has them."""
    renamed = {"ServerSideEncryptionByDefault": "ApplyServerSideEncryptionByDefault"}
    return [
        {renamed.get(key, key): setting for key, setting in rule.items()}
        for rule in value["ServerSideEncryptionConfiguration"]
    ]


def encryption_of(answer: Properties | None) -> dict[str, Any] | None:
    """The same back."""
    rules = (answer or {}).get("ServerSideEncryptionConfiguration", {}).get("Rules", [])
    told = [
        known(
            ServerSideEncryptionByDefault=rule.get("ApplyServerSideEncryptionByDefault"),
            BucketKeyEnabled=rule.get("BucketKeyEnabled"),
        )
        for rule in rules
    ]
    return {"ServerSideEncryptionConfiguration": told} if told else None


def _access_block(s3: Any, bucket: str) -> Any:
    answer = found(s3.get_public_access_block, Bucket=bucket) or {}
    return answer.get("PublicAccessBlockConfiguration")


def _ownership(s3: Any, bucket: str) -> Any:
    return (found(s3.get_bucket_ownership_controls, Bucket=bucket) or {}).get("OwnershipControls")


def _put_logging(s3: Any, bucket: str, value: Properties) -> None:
    """Without a destination a bucket logs to itself."""
    target = value.get("DestinationBucketName", bucket)
    status = {"TargetBucket": target, "TargetPrefix": value.get("LogFilePrefix", "")}
    s3.put_bucket_logging(Bucket=bucket, BucketLoggingStatus={"LoggingEnabled": status})


def _logging(s3: Any, bucket: str) -> Any:
    status = s3.get_bucket_logging(Bucket=bucket).get("LoggingEnabled", {})
    return known(DestinationBucketName=status.get("TargetBucket"), LogFilePrefix=status.get("TargetPrefix"))


def _put_lifecycle(s3: Any, bucket: str, value: Properties) -> None:
    rules = [lifecycle_rule(rule) for rule in value["Rules"]]
    s3.put_bucket_lifecycle_configuration(Bucket=bucket, LifecycleConfiguration={"Rules": rules})


def _lifecycle(s3: Any, bucket: str) -> Any:
    answer = found(s3.get_bucket_lifecycle_configuration, Bucket=bucket)
    return {"Rules": [lifecycle_of(rule) for rule in answer["Rules"]]} if answer else None


SETTINGS = (
    Setting(
        property="PublicAccessBlockConfiguration",
        put=lambda s3, bucket, value: s3.put_public_access_block(
            Bucket=bucket, PublicAccessBlockConfiguration=value
        ),
        remove=lambda s3, bucket: s3.delete_public_access_block(Bucket=bucket),
        read=_access_block,
    ),
    Setting(
        property="VersioningConfiguration",
        put=lambda s3, bucket, value: s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration=value),
        # a bucket that had versions keeps them
        remove=lambda s3, bucket: s3.put_bucket_versioning(
            Bucket=bucket, VersioningConfiguration={"Status": "Suspended"}
        ),
        read=lambda s3, bucket: only(s3.get_bucket_versioning(Bucket=bucket), "Status"),
    ),
    Setting(
        property="OwnershipControls",
        put=lambda s3, bucket, value: s3.put_bucket_ownership_controls(
            Bucket=bucket, OwnershipControls=value
        ),
        remove=lambda s3, bucket: s3.delete_bucket_ownership_controls(Bucket=bucket),
        read=_ownership,
    ),
    Setting(
        property="BucketEncryption",
        put=lambda s3, bucket, value: s3.put_bucket_encryption(
            Bucket=bucket, ServerSideEncryptionConfiguration={"Rules": encryption_rules(value)}
        ),
        remove=lambda s3, bucket: s3.delete_bucket_encryption(Bucket=bucket),
        read=lambda s3, bucket: encryption_of(found(s3.get_bucket_encryption, Bucket=bucket)),
    ),
    Setting(
        property="LifecycleConfiguration",
        put=_put_lifecycle,
        remove=lambda s3, bucket: s3.delete_bucket_lifecycle(Bucket=bucket),
        read=_lifecycle,
    ),
    Setting(
        property="LoggingConfiguration",
        put=_put_logging,
        remove=lambda s3, bucket: s3.put_bucket_logging(Bucket=bucket, BucketLoggingStatus={}),
        read=_logging,
    ),
)
