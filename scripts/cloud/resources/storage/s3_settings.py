"""Settings of a bucket. Each has separate API calls, whose member names differ from the template's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from scripts.cloud.resources.base import Properties, found, known

from .s3_lifecycle import lifecycle_of, lifecycle_rule


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One property of a bucket, with `put_NOUN`, `get_NOUN` and `delete_NOUN`.

    `parameter` is the request parameter; `sent` converts the property to its value. `member` is the member of
    the response; `parsed` converts it to the property. `empty` is the value that resets the setting if S3 has
    no delete call for it.
    """

    property: str
    noun: str
    parameter: str = ""
    member: str = ""
    sent: Callable[[str, Any], Any] = lambda bucket, value: value
    parsed: Callable[[Any], Any] = lambda value: value
    empty: Mapping[str, str] | None = None
    deletes: str = ""

    def put(self, s3: Any, bucket: str, value: Any) -> None:
        """Set the property."""
        request = {self.parameter or self.property: self.sent(bucket, value)}
        getattr(s3, f"put_{self.noun}")(Bucket=bucket, **request)

    def remove(self, s3: Any, bucket: str) -> None:
        """Reset the property."""
        if self.empty is None:
            getattr(s3, self.deletes or f"delete_{self.noun}")(Bucket=bucket)
        else:
            getattr(s3, f"put_{self.noun}")(Bucket=bucket, **{self.parameter or self.property: self.empty})

    def read(self, s3: Any, bucket: str) -> Any:
        """Return the value in the property's format; None if it is not set."""
        answer = found(getattr(s3, f"get_{self.noun}"), Bucket=bucket) or {}
        value = answer.get(self.member or self.parameter or self.property)
        return value and self.parsed(value)


def read_settings(s3: Any, bucket: str, *names: str) -> dict[str, Any]:
    """Return a bucket's settings as CloudFormation properties; only those in `names`, if it is not empty."""
    chosen = (setting for setting in SETTINGS if not names or setting.property in names)
    return known(**{setting.property: setting.read(s3, bucket) for setting in chosen})


def put_settings(s3: Any, bucket: str, old: Properties, new: Properties, *names: str) -> None:
    """Set changed settings and reset removed ones. If `names` is not empty, skip all other settings."""
    for setting in SETTINGS:
        before, after = (properties.get(setting.property) for properties in (old, new))
        if names and setting.property not in names:
            continue
        if after is not None and after != before:
            setting.put(s3, bucket, after)
        elif after is None and before is not None:
            setting.remove(s3, bucket)


def _encryption_rules(bucket: str, value: Properties) -> dict[str, Any]:
    renamed = {"ServerSideEncryptionByDefault": "ApplyServerSideEncryptionByDefault"}
    rules = value["ServerSideEncryptionConfiguration"]
    return {"Rules": [{renamed.get(key, key): v for key, v in rule.items()} for rule in rules]}


def _encryption(value: Properties) -> dict[str, Any] | None:
    rules = [
        known(
            ServerSideEncryptionByDefault=rule.get("ApplyServerSideEncryptionByDefault"),
            BucketKeyEnabled=rule.get("BucketKeyEnabled"),
        )
        for rule in value["Rules"]
    ]
    return {"ServerSideEncryptionConfiguration": rules} if rules else None


def _logging_status(bucket: str, value: Properties) -> dict[str, Any]:
    """Return the logging configuration; the default log destination is the bucket itself."""
    target = value.get("DestinationBucketName", bucket)
    return {"LoggingEnabled": {"TargetBucket": target, "TargetPrefix": value.get("LogFilePrefix", "")}}


SETTINGS = (
    Setting(property="PublicAccessBlockConfiguration", noun="public_access_block"),
    Setting(
        property="VersioningConfiguration",
        noun="bucket_versioning",
        member="Status",
        parsed=lambda status: {"Status": status},
        # versioning of a bucket can only be suspended
        empty={"Status": "Suspended"},
    ),
    Setting(property="OwnershipControls", noun="bucket_ownership_controls"),
    Setting(
        property="BucketEncryption",
        noun="bucket_encryption",
        parameter="ServerSideEncryptionConfiguration",
        sent=_encryption_rules,
        parsed=_encryption,
    ),
    Setting(
        property="LifecycleConfiguration",
        noun="bucket_lifecycle_configuration",
        member="Rules",
        sent=lambda bucket, value: {"Rules": [lifecycle_rule(rule) for rule in value["Rules"]]},
        parsed=lambda rules: {"Rules": [lifecycle_of(rule) for rule in rules]},
        deletes="delete_bucket_lifecycle",
    ),
    Setting(
        property="LoggingConfiguration",
        noun="bucket_logging",
        parameter="BucketLoggingStatus",
        member="LoggingEnabled",
        sent=_logging_status,
        parsed=lambda status: known(
            DestinationBucketName=status.get("TargetBucket"), LogFilePrefix=status.get("TargetPrefix")
        ),
        empty={},
    ),
)
