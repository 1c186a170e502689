"""What is kept for a shorter time, or no longer kept in S3: backups, versions of objects, exports."""

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
    """Daily backups of a file system; without a number, or with 0, there are none."""
    for configuration in _CONFIGURATIONS:
        path = (configuration, _DAYS)
        was, will = change.sides(*path)
        if not isinstance(was, int) or not was:
            continue
        if will is None or will == 0:
            reason = f"daily backups were kept for {was} days, and are no longer made"
        elif change.lowered(*path):
            reason = f"daily backups are kept for {will} days instead of {was}"
        else:
            continue
        hint = "copy the backups that are still wanted first, or keep the retention"
        yield Correction(path, Effect.IN_PLACE, reason, _BACKUPS, hint, Topic.DATA_EXPIRES)


def _objects(change: Change) -> Iterator[Correction]:
    """Objects of a bucket, and their old versions."""
    was, will = (lives(side) for side in change.sides("LifecycleConfiguration"))
    told = [
        f"{what} are deleted after {days} days instead of {was.get(what, 'never')}"
        for what, days in will.items()
        if what not in was or days < was[what]
    ]
    if told:
        path, hint = ("LifecycleConfiguration",), "copy what is still wanted first, or keep the days"
        reason = "; ".join(told)
        yield Correction(path, Effect.IN_PLACE, reason, _VERSIONS, hint, Topic.DATA_EXPIRES)


def lives(configuration: object) -> dict[str, int]:
    """The shortest life in days that some rule gives to objects, and to their old versions."""
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
    """Events of a link that no longer go to S3."""
    was, will = (_events(side) for side in change.sides("S3", "AutoExportPolicy"))
    lost = [event.lower() for event in was if event not in will]
    if lost:
        path = ("S3", "AutoExportPolicy")
        reason = f"{', '.join(lost)} files are no longer exported to S3: the bucket stays behind"
        hint = (
            f"keep `export: [{', '.join(event.lower() for event in was)}]`, or export by a task now and then"
        )
        yield Correction(path, Effect.IN_PLACE, reason, _EXPORT, hint, Topic.DATA_EXPIRES)


def _events(policy: Any) -> list[str]:
    events = policy.get("Events") if isinstance(policy, Mapping) else None
    return [str(event) for event in events] if isinstance(events, list) else []


FILE_SYSTEM: tuple[Correct, ...] = (_backups,)
CORRECTIONS: Mapping[str, tuple[Correct, ...]] = {
    "AWS::FSx::DataRepositoryAssociation": (_exports,),
    "AWS::S3::Bucket": (_objects,),
}
