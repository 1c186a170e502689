"""Detection of bucket settings that break a data repository association, if the stack creates both."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.storage.repositories import paths_nest
from config.rules.codes import CODES
from config.rules.deployed import storage as codes
from scripts.cloud.validation.rules.reading import (
    Properties,
    items_at,
    reference_at,
    structures_at,
    text_at,
    texts_at,
)
from scripts.cloud.validation.rules.registry import Resource, Sibling, Violation, rule

_TYPE, _BUCKET = "AWS::FSx::DataRepositoryAssociation", "AWS::S3::Bucket"
_NOTIFIER = "Custom::S3BucketNotifications"
_PATH = "DataRepositoryPath"
# https://docs.aws.amazon.com/fsx/latest/LustreGuide/data-repo-event-logs.html (S3ImportUnsupportedTier)
_NOT_READABLE = ("GLACIER", "DEEP_ARCHIVE")


def _bucket_name(resource: Resource) -> str | None:
    """Return the name of the associated bucket, or a placeholder until it is known."""
    place = reference_at(resource.properties, _PATH)
    if not isinstance(place, str) or not place.startswith("s3://"):
        return None
    return place.removeprefix("s3://").partition("/")[0]


def _bucket(resource: Resource) -> Sibling | None:
    return resource.named(_bucket_name(resource), _BUCKET)


@rule(codes.NO_NOTIFICATIONS, _TYPE)
def linked_buckets_have_no_notifications(resource: Resource) -> Iterator[Violation]:
    """Check that the template does not set notifications of the associated bucket or use CDK's handler."""
    bucket = _bucket(resource)
    if bucket is None:
        return
    makers = [_NOTIFIER for other in resource.of_type(_NOTIFIER) if _names(other, bucket)]
    if reference_at(bucket.properties, "NotificationConfiguration"):
        makers.append("NotificationConfiguration")
    for maker in makers:
        message = f"the bucket has other event notifications ({maker})"
        yield Violation(
            _PATH, message, "remove these notifications, and use another source of events, such as CloudTrail"
        )


def _names(notifier: Sibling, bucket: Sibling) -> bool:
    """Return whether CDK's handler replaces all notifications of this bucket (`Managed: true`)."""
    managed = notifier.properties.get("Managed", True) not in (False, "false")
    return managed and bucket.is_called(notifier.properties.get("BucketName"))


@rule(codes.CURRENT_OBJECTS_STAY, _TYPE)
def linked_objects_are_retained(resource: Resource) -> Iterator[Violation]:
    """Report lifecycle rules of the associated bucket that delete or archive current objects."""
    bucket = _bucket(resource)
    if bucket is None:
        return
    for number, row in structures_at(bucket.properties, "LifecycleConfiguration", "Rules"):
        if row.get("Status") != "Enabled":
            continue
        for what in _takes_away(row):
            message = f"the bucket's lifecycle rule {text_at(row, 'Id') or number} {what}"
            use = "use NoncurrentVersionExpiration, which deletes only old versions"
            yield Violation(_PATH, message, use)


def _takes_away(row: Properties) -> Iterator[str]:
    for name in ("ExpirationInDays", "ExpirationDate"):
        if name in row:
            yield f"expires current objects ({name})"
    moves = [row.get("Transition"), *(items_at(row, "Transitions"))]
    for move in (move for move in moves if isinstance(move, dict)):
        if text_at(move, "StorageClass") in _NOT_READABLE:
            yield f"archives current objects in {move['StorageClass']}"


@rule(CODES["DRA011"], _TYPE)
def one_system_exports_to_a_prefix(resource: Resource) -> Iterator[Violation]:
    """Check that no other file system of the stack exports to an overlapping DataRepositoryPath."""
    place, own = text_at(resource.properties, _PATH), text_at(resource.properties, "FileSystemId")
    if place is None or own is None or not _exports(resource.properties):
        return
    for other in resource.of_type(_TYPE):
        theirs, system = text_at(other.properties, _PATH), text_at(other.properties, "FileSystemId")
        if theirs is None or system in (None, own) or not _exports(other.properties):
            continue
        if paths_nest(place, theirs):
            message = f"{place} overlaps with {theirs}, to which another file system exports"
            yield Violation(_PATH, message, "export to another prefix, or only import")


def _exports(association: Properties) -> bool:
    return bool(texts_at(association, "S3", "AutoExportPolicy", "Events"))
