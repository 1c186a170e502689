"""Validation of S3 bucket names."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.names import is_bucket_name
from config.rules.deployed import storage as codes
from scripts.cloud.validation.rules.reading import text_at
from scripts.cloud.validation.rules.registry import Resource, Violation, rule


@rule(codes.BUCKET_NAME, "AWS::S3::Bucket")
def bucket_name_is_valid(resource: Resource) -> Iterator[Violation]:
    """Check BucketName."""
    name = text_at(resource.properties, "BucketName")
    if name is not None and not is_bucket_name(name):
        yield Violation(
            "BucketName",
            f"{name!r} is not a valid bucket name",
            "use 3 to 63 lowercase letters, digits, dots and hyphens",
        )
