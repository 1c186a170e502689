"""The storage layer: Lustre plan to props."""

from __future__ import annotations

from typing import cast

from constructs import Construct, IDependable

from config.design.model import Design
from config.design.network import PRIMARY
from config.design.storage import LustrePlan, RepositoryPlan
from stacks.ground import FileSystem, Ground
from stacks.network import retention_of, tags_of
from ultracluster.storage import (
    DataBucket,
    DataBucketProps,
    DataCompression,
    DataRepository,
    DataRepositoryEvent,
    LogBucket,
    LogBucketProps,
    LustreFileSystem,
    LustreFileSystemProps,
    StorageKey,
    StorageKeyProps,
)

_NONCURRENT_VERSION_DAYS = 30
_ACCESS_LOG_DAYS = 365
_LOG_DAYS_WITHOUT_OBSERVABILITY = 90


def add_storage(
    scope: Construct, design: Design, plan: LustrePlan, ground: Ground
) -> tuple[LustreFileSystem, FileSystem]:
    """The file system with its key, its buckets and its data repository associations."""
    key = StorageKey(
        scope,
        "Key",
        StorageKeyProps(
            alias=f"ultracluster/{design.profile.name}/storage",
            description=f"File system and buckets of {design.profile.name}",
            retention=retention_of(design),
            fsx_data_repositories=bool(plan.repositories),
            tags=tags_of(design),
        ),
    )
    buckets = _buckets(scope, design, plan, key.key_arn)
    lustre = LustreFileSystem(scope, "Lustre", lustre_props(design, plan, ground, key.key_arn, buckets))
    return lustre, FileSystem(
        dns_name=lustre.dns_name,
        mount_name=lustre.mount_name,
        rules=tuple(lustre.mount_ready),
        exports=_exports(plan, lustre),
    )


def _exports(plan: LustrePlan, lustre: LustreFileSystem) -> tuple[IDependable, ...]:
    """Links that export and are made at once; one that first lists its bucket may take hours (STORAGE-17)."""
    return tuple(
        lustre.links[repository.name]
        for repository in plan.repositories
        if repository.export_events and not repository.import_metadata_on_create
    )


def _buckets(scope: Construct, design: Design, plan: LustrePlan, key_arn: str) -> dict[str, str]:
    """Names of the new buckets, by repository."""
    own = [repository for repository in plan.repositories if repository.bucket is None]
    if not own:
        return {}
    # a bucket that S3 delivers logs to cannot be deleted when one wants it
    logs = (
        None
        if design.profile.disposable
        else LogBucket(
            scope,
            "AccessLogs",
            LogBucketProps(
                name=f"{design.profile.name}-access-logs",
                log_retention_days=_ACCESS_LOG_DAYS,
                tags=tags_of(design),
            ),
        )
    )
    return {
        repository.name: DataBucket(
            scope,
            f"Bucket-{repository.name}",
            DataBucketProps(
                name=f"{design.profile.name}-{repository.name}",
                noncurrent_version_expiration_days=_NONCURRENT_VERSION_DAYS,
                access_log_bucket_name=logs.bucket_name if logs else None,
                retention=retention_of(design),
                key_arn=key_arn,
                tags=tags_of(design),
            ),
        ).bucket_name
        for repository in own
    }


def lustre_props(
    design: Design, plan: LustrePlan, ground: Ground, key_arn: str, buckets: dict[str, str]
) -> LustreFileSystemProps:
    """The props of the file system."""
    observability = design.profile.observability
    return LustreFileSystemProps(
        name=design.profile.name,
        vpc_id=ground.vpc_id,
        subnet_id=ground.subnet_ids[PRIMARY],
        client_security_group_id=ground.node_security_group_id,
        client_rules=ground.security_group_rules,
        storage_capacity_gib=plan.capacity_gib,
        throughput_mbps_per_tib=plan.throughput_mbps_per_tib,
        efa_enabled=plan.efa,
        metadata_mode="AUTOMATIC" if plan.metadata_automatic else "USER_PROVISIONED",
        metadata_iops=None if plan.metadata_automatic else plan.metadata_iops,
        data_compression=cast(DataCompression, plan.compression.upper()),
        weekly_maintenance_start_time=plan.weekly_maintenance_start,
        log_retention_days=observability.log_retention_days
        if observability
        else _LOG_DAYS_WITHOUT_OBSERVABILITY,
        kms_key_arn=key_arn,
        retention=retention_of(design),
        data_repositories=[_repository(repository, buckets) for repository in plan.repositories],
        tags=tags_of(design),
    )


def _repository(plan: RepositoryPlan, buckets: dict[str, str]) -> DataRepository:
    bucket = plan.bucket or buckets[plan.name]
    return DataRepository(
        name=plan.name,
        file_system_path=plan.path,
        data_repository_path=f"s3://{bucket}/{plan.prefix}" if plan.prefix else f"s3://{bucket}",
        import_events=_events(plan.import_events),
        export_events=_events(plan.export_events),
        batch_import_metadata_on_create=plan.import_metadata_on_create,
    )


def _events(events: tuple[str, ...]) -> list[DataRepositoryEvent]:
    return [cast(DataRepositoryEvent, event.upper()) for event in events]
