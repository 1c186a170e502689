"""An FSx for Lustre file system with its links to S3."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from constructs import IDependable

from ultracluster.retention import Retention

DataRepositoryEvent = Literal["NEW", "CHANGED", "DELETED"]
MetadataMode = Literal["AUTOMATIC", "USER_PROVISIONED"]
DataCompression = Literal["NONE", "LZ4"]
LustreLogLevel = Literal["DISABLED", "WARN_ONLY", "ERROR_ONLY", "WARN_ERROR"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DataRepository:
    """One link between a directory of the file system and a prefix of a bucket.

    Attributes:
        name: Names the link among its siblings; part of its logical id.
        file_system_path: Absolute directory (`/datasets`). Paths of one file system may not nest.
        data_repository_path: `s3://bucket/prefix`. Prefixes of one file system may not nest either.
        import_events: Which changes in S3 show up in the file system. None by default.
        export_events: Which changes in the file system are written to S3. None by default.
        batch_import_metadata_on_create: Whether creation lists the whole prefix first, which can take an hour for
            millions of objects (STORAGE-17). False by default: import by a task.
        imported_file_chunk_size_mib: Size above which an imported file is striped. 1024, the service's default.
    """

    name: str
    file_system_path: str
    data_repository_path: str
    import_events: Sequence[DataRepositoryEvent] = ()
    export_events: Sequence[DataRepositoryEvent] = ()
    batch_import_metadata_on_create: bool = False
    imported_file_chunk_size_mib: int = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreFileSystemProps:
    """A PERSISTENT_2 file system on SSD, and who may mount it.

    Attributes:
        name: The Name tag and the last part of the log group's name (`/aws/fsx/lustre/<name>`).
        vpc_id: The VPC.
        subnet_id: The one subnet, in the zone of its clients. Changing it replaces the file system (STORAGE-20).
        client_security_group_id: Group of the machines that mount it. Matching rules are added to it.
        storage_capacity_gib: Capacity, in the steps that throughput and EFA allow.
        throughput_mbps_per_tib: Provisioned throughput: 125, 250, 500 or 1000.
        efa_enabled: Whether clients may use EFA. Fixed at creation.
        weekly_maintenance_start_time: `d:HH:MM` in UTC, 1 is Monday.
        log_retention_days: How long CloudWatch keeps the file system's log.
        retention: Whether the file system, its group and all rules outlive the stack.
        client_rules: Rules of the client group. FSx checks a file system's groups once, at creation, so it must
            come after every rule (STORAGE-18, aws-parallelcluster#6181).
        metadata_mode: `AUTOMATIC` by default: metadata IOPS follow the capacity.
        metadata_iops: Provisioned metadata IOPS; required with, and only allowed with, `USER_PROVISIONED`.
        file_system_type_version: Lustre version. 2.15 by default; the service's own default is 2.10, which
            current clients cannot mount (STORAGE-12).
        data_compression: `LZ4` by default; `NONE` to store data as written.
        log_level: `WARN_ERROR` by default: warnings and errors, data repository events included.
        log_key_arn: KMS key of the log group. None: the key that CloudWatch owns.
        kms_key_arn: KMS key of the file system. None: the account's FSx key.
        automatic_backup_retention_days: Days to keep daily backups. None: no backup property is rendered. Refused
            with data repositories, whose file systems have no backups (STORAGE-09).
        data_repositories: Links to S3, created and updated one after the other in this order (STORAGE-04).
        tags: Tags of every resource that takes them. Keep them stable.
    """

    name: str
    vpc_id: str
    subnet_id: str
    client_security_group_id: str
    storage_capacity_gib: int
    throughput_mbps_per_tib: int
    efa_enabled: bool
    weekly_maintenance_start_time: str
    log_retention_days: int
    retention: Retention
    client_rules: Sequence[IDependable] = ()
    metadata_mode: MetadataMode = "AUTOMATIC"
    metadata_iops: int | None = None
    file_system_type_version: str = "2.15"
    data_compression: DataCompression = "LZ4"
    log_level: LustreLogLevel = "WARN_ERROR"
    log_key_arn: str | None = None
    kms_key_arn: str | None = None
    automatic_backup_retention_days: int | None = None
    data_repositories: Sequence[DataRepository] = ()
    tags: Mapping[str, str] = field(default_factory=dict)


# class LustreFileSystem(Construct): file_system_id: str; dns_name: str; mount_name: str; security_group_id: str;
#   mount_ready: tuple[CfnResource, ...]  (file system and rules; not the links, which a node need not wait for)
