"""Detection of buckets that delete their objects, although a file system is associated with the bucket."""

from __future__ import annotations

from collections.abc import Iterator

from config.rules.deployed import storage as codes
from scripts.cloud.validation.rules.reading import reference_at
from scripts.cloud.validation.rules.registry import Resource, Violation, rule

_LINK, _BUCKET = "AWS::FSx::DataRepositoryAssociation", "AWS::S3::Bucket"
_EMPTYING = "Custom::S3AutoDeleteObjects"
_PATH, _SCHEME = "DataRepositoryPath", "s3://"


@rule(codes.LINKED_BUCKET_STAYS_FULL, _LINK)
def linked_buckets_are_not_emptied(resource: Resource) -> Iterator[Violation]:
    """Check that an associated bucket does not delete its objects automatically."""
    place = reference_at(resource.properties, _PATH)
    name = place.removeprefix(_SCHEME).partition("/")[0] if isinstance(place, str) else None
    bucket = resource.named(name, _BUCKET)
    emptied = [other.properties.get("BucketName") for other in resource.of_type(_EMPTYING)]
    if bucket is not None and any(bucket.is_called(value) for value in emptied):
        yield Violation(
            _PATH,
            "deletion of the stack also deletes all objects of the bucket, even if a file system uses it",
            "remove `auto_delete_objects`, and empty the bucket manually after you delete the association",
        )
