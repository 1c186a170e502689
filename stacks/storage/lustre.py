"""Props of Lustre file systems, from their plans."""

from __future__ import annotations

from typing import cast

from config.design.storage.lustre import MAIN, LustrePlan
from config.design.storage.repositories import RepositoryPlan
from config.design.zones import PRIMARY
from config.profile.model import Profile
from config.profile.storage.lustre import Backups, NewLustre
from stacks.common import retention_of, tags_of
from stacks.foundation import NodeNetwork
from stacks.storage.buckets import Buckets
from ultracluster.storage import (
    CacheSizingMode,
    DailyBackups,
    DataCompression,
    DataRepository,
    DataRepositoryEvent,
    LustreDeploymentType,
    LustreFileSystemProps,
    LustreLogLevel,
    LustreStorageType,
    MetadataMode,
    ReadCache,
)

_LOG_DAYS_WITHOUT_OBSERVABILITY = 90
_SIZING: dict[str, CacheSizingMode] = {
    "none": "NO_CACHE",
    "proportional": "PROPORTIONAL_TO_THROUGHPUT_CAPACITY",
    "user-provisioned": "USER_PROVISIONED",
}


def lustre_props(
    profile: Profile,
    plan: LustrePlan,
    settings: NewLustre,
    node_network: NodeNetwork,
    key_arn: str | None,
    buckets: Buckets,
) -> LustreFileSystemProps:
    """Return the props of a new file system."""
    return LustreFileSystemProps(
        name=resource_name(profile, plan),
        vpc_id=node_network.vpc_id,
        subnet_id=node_network.subnet_ids[PRIMARY],
        client_security_group_id=node_network.node_security_group_id,
        client_rules=node_network.security_group_rules,
        deployment_type=cast(LustreDeploymentType, _constant(plan.kind.deployment)),
        storage_type=cast(LustreStorageType, _constant(plan.kind.storage)),
        storage_capacity_gib=plan.capacity_gib,
        throughput_mbps_per_tib=plan.throughput_mbps_per_tib if plan.kind.states_tier else None,
        throughput_capacity_mbps=int(plan.throughput_mbps) if plan.elastic else None,
        read_cache=_read_cache(settings),
        drive_cache=settings.drive_cache,
        efa_enabled=plan.efa,
        metadata_mode=_metadata_mode(plan),
        metadata_iops=None if plan.metadata_automatic else plan.metadata_iops,
        file_system_type_version=plan.version,
        data_compression=cast(DataCompression, _constant(settings.compression)),
        weekly_maintenance_start_time=settings.weekly_maintenance_start,
        # with a slash, a profile `a-b` and the file system `b` of a profile `a` have different names
        log_name=profile.name if plan.name == MAIN else f"{profile.name}/{plan.name}",
        log_level=cast(LustreLogLevel, _constant(settings.logs)),
        log_retention_days=log_days(profile),
        kms_key_arn=(settings.key_arn or key_arn) if plan.kind.kms_key else None,
        backups=daily_backups(settings.backups),
        retention=retention_of(profile),
        data_repositories=[_repository(plan, repository, buckets) for repository in plan.repositories],
        tags=tags_of(profile),
    )


def log_days(profile: Profile) -> int:
    """Return the retention of storage logs in days."""
    observability = profile.observability
    return observability.log_retention_days if observability else _LOG_DAYS_WITHOUT_OBSERVABILITY


def bucket_path(system: LustrePlan, plan: RepositoryPlan, buckets: Buckets) -> str:
    """Return the prefix of a repository: `s3://bucket/prefix`."""
    bucket = plan.bucket or buckets[system.name, plan.name]
    return f"s3://{bucket}/{plan.prefix}" if plan.prefix else f"s3://{bucket}"


def resource_name(profile: Profile, plan: LustrePlan) -> str:
    """Return the profile's name for the main file system; for others, append the file system's name."""
    return profile.name if plan.name == MAIN else f"{profile.name}-{plan.name}"


def daily_backups(backups: Backups | None) -> DailyBackups | None:
    """Return the backup props."""
    if backups is None:
        return None
    return DailyBackups(
        retention_days=backups.retention_days, start_time=backups.daily_start, copy_tags=backups.copy_tags
    )


def _constant(word: str) -> str:
    """Return a profile value as the API spells it: `persistent-2` is `PERSISTENT_2`."""
    return word.replace("-", "_").upper()


def _metadata_mode(plan: LustrePlan) -> MetadataMode | None:
    if plan.metadata_iops is None:
        return None
    return "AUTOMATIC" if plan.metadata_automatic else "USER_PROVISIONED"


def _read_cache(settings: NewLustre) -> ReadCache | None:
    cache = settings.read_cache
    return ReadCache(sizing_mode=_SIZING[cache.sizing], size_gib=cache.size_gib) if cache else None


def _repository(system: LustrePlan, plan: RepositoryPlan, buckets: Buckets) -> DataRepository:
    return DataRepository(
        name=plan.name,
        file_system_path=plan.path,
        data_repository_path=bucket_path(system, plan, buckets),
        import_events=_events(plan.import_events),
        export_events=_events(plan.export_events),
        batch_import_metadata_on_create=plan.import_metadata_on_create,
        imported_file_chunk_size_mib=plan.imported_chunk_mib,
    )


def _events(events: tuple[str, ...]) -> list[DataRepositoryEvent]:
    return [cast(DataRepositoryEvent, event.upper()) for event in events]
