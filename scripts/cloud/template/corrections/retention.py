"""Shorter retention of backups, objects and object versions, and fewer exports to S3."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scripts.cloud.template.effects import Effect, Topic

from .model import Change, Correct, Correction

_BACKUPS = "https://docs.aws.amazon.com/fsx/latest/APIReference/API_UpdateFileSystemLustreConfiguration.html"
_VERSIONS = "https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-s3-bucket-rule.html"
_EXPORT = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/autoexport-data-repo-dra.html"
_CONFIGURATIONS = ("LustreConfiguration", "OpenZFSConfiguration")
_DAYS = "AutomaticBackupRetentionDays"


def _backups(change: Change) -> Iterator[Correction]:
    """Yield a correction if daily backups end or are retained for fewer days."""
    for configuration in _CONFIGURATIONS:
        path = (configuration, _DAYS)
        was, will = change.sides(*path)
        if not isinstance(was, int) or not was:
            continue
        if will is None or will == 0:
            reason = f"FSx no longer creates daily backups (before: retained for {was} days)"
        elif change.lowered(*path):
            reason = f"daily backups are retained for {will} days instead of {was}"
        else:
            continue
        hint = "first copy the backups that you still need, or keep the retention"
        yield Correction(path, Effect.IN_PLACE, reason, _BACKUPS, hint, Topic.DATA_EXPIRES)


def _objects(change: Change) -> Iterator[Correction]:
    """Yield a correction if objects or old object versions are deleted earlier."""
    was, will = (shortest_retention_days(side) for side in change.sides("LifecycleConfiguration"))
    changes = [
        f"{what} are deleted after {days} days (before: {was.get(what, 'never')})"
        for what, days in will.items()
        if what not in was or days < was[what]
    ]
    if changes:
        path, hint = (
            ("LifecycleConfiguration",),
            "first copy the objects that you still need, or keep the number of days",
        )
        reason = "; ".join(changes)
        yield Correction(path, Effect.IN_PLACE, reason, _VERSIONS, hint, Topic.DATA_EXPIRES)


def shortest_retention_days(configuration: object) -> dict[str, int]:
    """Return the fewest days after which a rule deletes objects, and the fewest days for old versions."""
    found: dict[str, int] = {}
    rules = configuration.get("Rules") if isinstance(configuration, Mapping) else None
    for rule in rules if isinstance(rules, list) else ():
        if not isinstance(rule, Mapping) or rule.get("Status") != "Enabled":
            continue
        old = rule.get("NoncurrentVersionExpiration")
        days = {
            "objects": rule.get("ExpirationInDays"),
            "old versions": old.get("NoncurrentDays") if isinstance(old, Mapping) else None,
        }
        for what, number in days.items():
            if isinstance(number, int):
                found[what] = min(number, found.get(what, number))
    return found


def _exports(change: Change) -> Iterator[Correction]:
    """Yield a correction if a data repository association exports fewer events to S3."""
    was, will = (_events(side) for side in change.sides("S3", "AutoExportPolicy"))
    lost = [event.lower() for event in was if event not in will]
    if lost:
        path = ("S3", "AutoExportPolicy")
        reason = f"{', '.join(lost)} files are no longer exported to S3, and the bucket becomes outdated"
        hint = f"keep `export: [{', '.join(event.lower() for event in was)}]`, or run export tasks regularly"
        yield Correction(path, Effect.IN_PLACE, reason, _EXPORT, hint, Topic.DATA_EXPIRES)


def _events(policy: Any) -> list[str]:
    events = policy.get("Events") if isinstance(policy, Mapping) else None
    return [str(event) for event in events] if isinstance(events, list) else []


FILE_SYSTEM: tuple[Correct, ...] = (_backups,)
CORRECTIONS: Mapping[str, tuple[Correct, ...]] = {
    "AWS::FSx::DataRepositoryAssociation": (_exports,),
    "AWS::S3::Bucket": (_objects,),
}
