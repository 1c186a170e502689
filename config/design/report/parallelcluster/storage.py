"""Shared storage of a ParallelCluster configuration: new file systems, and existing ones by their ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from config.design.model import Design
from config.design.report.parallelcluster.limits import LUSTRE_TIERS
from config.design.storage.lustre import LustrePlan
from config.design.storage.repositories import RepositoryPlan
from config.diagnostics import Path
from config.profile.storage.lustre import NewLustre
from config.profile.storage.repository import EVENTS

Json = dict[str, Any]


def creation_faults(lustre: NewLustre) -> Iterator[tuple[Path, str]]:
    """Yield each key of the file system that ParallelCluster cannot set, with the gap in its schema."""
    yield from _without_key(lustre)
    if lustre.storage == "intelligent-tiering":
        yield ("storage",), "no Intelligent-Tiering"
    elif not _has_tier(lustre):
        tier = f"{lustre.throughput_mbps_per_tib} MB/s per TiB"
        yield ("throughput_mbps_per_tib",), f"no tier of {tier} for {lustre.deployment} {lustre.storage}"
    for i, link in enumerate(lustre.data_repositories):
        at = ("data_repositories", i)
        if link.bucket == "new":
            yield (*at, "bucket"), f"no key that creates a bucket for {link.path}"
        elif link.import_by_task:
            yield (*at, "import_by_task"), f"no import by task for {link.path}"


def _without_key(lustre: NewLustre) -> Iterator[tuple[Path, str]]:
    declared = lustre.model_fields_set
    for key, asked, what in (
        ("efa", lustre.efa, "EFA"),
        ("root_squash", lustre.root_squash is not None, "root squash"),
        ("metadata_iops", lustre.metadata_iops is not None, "metadata IOPS"),
        ("version", "version" in declared and lustre.version != "2.15", "the Lustre version"),
        ("logs", "logs" in declared, "Lustre logs"),
    ):
        if asked:
            yield (key,), f"no key for {what}"


def _has_tier(lustre: NewLustre) -> bool:
    tiers = LUSTRE_TIERS.get((lustre.deployment, lustre.storage))
    return tiers is None or lustre.throughput_mbps_per_tib in tiers


def can_create(lustre: NewLustre) -> bool:
    """Return True if a configuration can create the file system with all of its settings."""
    return next(creation_faults(lustre), None) is None


def created_file_system(design: Design) -> tuple[Path, NewLustre] | None:
    """Return the first file system that ParallelCluster can create, None if there is none."""
    new = ((at, one) for at, one in design.placed_lustre if isinstance(one, NewLustre))
    return next(((at, lustre) for at, lustre in new if can_create(lustre)), None)


def is_created(design: Design, system: LustrePlan) -> bool:
    """Return True for the file system that ParallelCluster creates."""
    found = created_file_system(design)
    if found is None:
        return False
    return any(at == found[0] and plan.name == system.name for at, _, plan in design.planned_lustre)


def shared_storage(
    design: Design, file_systems: Mapping[str, str], home_volume: str | None
) -> Iterator[Json]:
    """Yield one entry for each file system that nodes mount."""
    found = created_file_system(design)
    for system in design.file_systems:
        entry: Json = {"Name": system.name, "StorageType": "FsxLustre", "MountDir": system.mount_path}
        if found is not None and is_created(design, system):
            settings = _new_lustre(design, found[1], system)
        else:
            settings = {"FileSystemId": file_systems[system.name]}
        yield {**entry, "FsxLustreSettings": settings}
    if design.home and home_volume:
        yield {
            "Name": "home",
            "StorageType": "FsxOpenZfs",
            "MountDir": design.home.mount_path,
            "FsxOpenZfsSettings": {"VolumeId": home_volume},
        }


def _new_lustre(design: Design, lustre: NewLustre, plan: LustrePlan) -> Json:
    settings: Json = {
        "DeploymentType": lustre.deployment.replace("-", "_").upper(),
        "StorageCapacity": lustre.capacity_gib,
        "WeeklyMaintenanceStartTime": lustre.weekly_maintenance_start,
        "DeletionPolicy": "Delete" if design.profile.disposable else "Retain",
    }
    if lustre.throughput_mbps_per_tib is not None:
        settings["PerUnitStorageThroughput"] = lustre.throughput_mbps_per_tib
    if lustre.storage == "hdd":
        settings["StorageType"] = "HDD"
        settings |= {"DriveCacheType": "READ"} if lustre.drive_cache else {}
    if lustre.compression == "lz4":
        settings["DataCompressionType"] = "LZ4"
    if lustre.key_arn:
        settings["KmsKeyId"] = lustre.key_arn
    if lustre.backups:
        settings["AutomaticBackupRetentionDays"] = lustre.backups.retention_days
        settings["DailyAutomaticBackupStartTime"] = lustre.backups.daily_start
        settings["CopyTagsToBackups"] = lustre.backups.copy_tags
    if plan.repositories:
        settings["DataRepositoryAssociations"] = [_association(link) for link in plan.repositories]
    return settings


def _association(link: RepositoryPlan) -> Json:
    found: Json = {
        "Name": link.name,
        "DataRepositoryPath": f"s3://{link.bucket}/{link.prefix}".rstrip("/"),
        "FileSystemPath": link.path,
        "ImportedFileChunkSize": link.imported_chunk_mib,
        "BatchImportMetaDataOnCreate": link.import_metadata_on_create,
    }
    for key, events in (("AutoImportPolicy", link.import_events), ("AutoExportPolicy", link.export_events)):
        if events:
            found[key] = [event.upper() for event in EVENTS if event in events]
    return found
