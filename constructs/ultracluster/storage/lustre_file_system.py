"""An FSx for Lustre file system with its data repository associations."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from constructs import Construct, IDependable

from ultracluster.cfn import Tagged, add_log_group, add_resource, add_security_group, attribute, tag_list
from ultracluster.retention import Retention
from ultracluster.security_rules import (
    ALL_TRAFFIC,
    LUSTRE_TRAFFIC,
    add_peer_rules,
    add_self_rules,
    inline_peer_rules,
)
from ultracluster.storage.data_repository import DataRepository, add_data_repository_associations

LustreDeploymentType = Literal["SCRATCH_1", "SCRATCH_2", "PERSISTENT_1", "PERSISTENT_2"]
LustreStorageType = Literal["SSD", "HDD", "INTELLIGENT_TIERING"]
MetadataMode = Literal["AUTOMATIC", "USER_PROVISIONED"]
CacheSizingMode = Literal["NO_CACHE", "PROPORTIONAL_TO_THROUGHPUT_CAPACITY", "USER_PROVISIONED"]
DataCompression = Literal["NONE", "LZ4"]
LustreLogLevel = Literal["DISABLED", "WARN_ONLY", "ERROR_ONLY", "WARN_ERROR"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadCache:
    """The SSD read cache of an Intelligent-Tiering file system.

    Attributes:
        sizing_mode: The sizing mode of the cache.
        size_gib: The size in GiB, only with `USER_PROVISIONED`.
    """

    sizing_mode: CacheSizingMode
    size_gib: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyBackups:
    """Daily backups of a file system.

    Attributes:
        retention_days: Retention of each backup in days, 1 to 90.
        start_time: `HH:MM` in UTC.
        copy_tags: Whether backups have the file system's tags. Fixed at creation.
    """

    retention_days: int
    start_time: str
    copy_tags: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreFileSystemProps(Tagged):
    """A Lustre file system of any type, and its clients.

    Attributes:
        name: The Name tag.
        vpc_id: The VPC.
        subnet_id: The subnet, in the zone of the clients. A change replaces the file system
            (STORAGE-20).
        client_security_group_id: Security group of the clients. Matching rules are added to it.
        efa_enabled: Whether clients can use EFA. Fixed at creation.
        weekly_maintenance_start_time: `d:HH:MM` in UTC, Monday is day 1.
        log_retention_days: Retention of the file system's log in days.
        retention: Whether the file system, its security group and all rules are retained.
        client_rules: Rules of the client group. FSx checks the security groups only at creation, so the file
            system is created after all rules (STORAGE-18, aws-parallelcluster#6181).
        deployment_type: `PERSISTENT_2` by default. A change replaces the file system.
        storage_type: `SSD` by default.
        storage_capacity_gib: Capacity, valid for the type, throughput and EFA. None for elastic storage
            (`INTELLIGENT_TIERING`).
        throughput_mbps_per_tib: Throughput tier of persistent storage: 125, 250, 500 or 1000 for
            `PERSISTENT_2` on SSD. None for scratch and Intelligent-Tiering.
        throughput_capacity_mbps: Throughput in MB/s, only for Intelligent-Tiering.
        read_cache: Read cache, only for Intelligent-Tiering.
        drive_cache: Whether HDD storage has an SSD cache. Only for `HDD`.
        metadata_mode: `AUTOMATIC` by default: metadata IOPS depend on the capacity. None: no metadata
            configuration, for all types except `PERSISTENT_2`.
        metadata_iops: Provisioned metadata IOPS. Required with `USER_PROVISIONED`; not allowed with other
            modes.
        file_system_type_version: Lustre version. 2.15 by default. The service's default is 2.10, which
            current clients cannot mount (STORAGE-12).
        data_compression: `LZ4` by default; `NONE` to store data as written.
        log_level: `WARN_ERROR` by default: warnings and errors, including data repository events.
        log_name: Last part of the log group's name (`/aws/fsx/lustre/<log_name>`). None: `name`.
        log_key_arn: KMS key of the log group. None: a CloudWatch-owned key.
        kms_key_arn: KMS key of the file system. None: the account's FSx key.
        backups: Daily backups. None: the template does not set a backup property. Not allowed with data
            repositories (STORAGE-09).
        data_repositories: Data repository associations, which are created and updated one at a time
            (STORAGE-04). Associations that export are created first, and associations that import at creation
            are created last. Otherwise, the order is as given.
    """

    name: str
    vpc_id: str
    subnet_id: str
    client_security_group_id: str
    efa_enabled: bool
    weekly_maintenance_start_time: str
    log_retention_days: int
    retention: Retention
    client_rules: Sequence[IDependable] = ()
    deployment_type: LustreDeploymentType = "PERSISTENT_2"
    storage_type: LustreStorageType = "SSD"
    storage_capacity_gib: int | None = None
    throughput_mbps_per_tib: int | None = None
    throughput_capacity_mbps: int | None = None
    read_cache: ReadCache | None = None
    drive_cache: bool | None = None
    metadata_mode: MetadataMode | None = "AUTOMATIC"
    metadata_iops: int | None = None
    file_system_type_version: str = "2.15"
    data_compression: DataCompression = "LZ4"
    log_level: LustreLogLevel = "WARN_ERROR"
    log_name: str | None = None
    log_key_arn: str | None = None
    kms_key_arn: str | None = None
    backups: DailyBackups | None = None
    data_repositories: Sequence[DataRepository] = ()


class LustreFileSystem(Construct):
    """A file system, its security group with the rules of its clients, its log and its associations.

    Attributes:
        file_system_id: ID of the file system.
        dns_name: DNS name for mounts.
        mount_name: Mount name.
        security_group_id: Security group of the file system.
        mount_ready: The clients' rules, which must exist before a client mounts the file system. Associations
            are not included, because their creation can last an hour (STORAGE-17).
        links: Associations by name. Resources that write to an exporting directory must depend on its
            association, so that CloudFormation deletes these resources before the association.
    """

    def __init__(self, scope: Construct, construct_id: str, props: LustreFileSystemProps) -> None:
        """Create the file system; raises ValueError for contradictory props."""
        super().__init__(scope, construct_id)
        _check(props)
        traffic = ALL_TRAFFIC if props.efa_enabled else LUSTRE_TRAFFIC
        self.security_group_id = add_security_group(
            self,
            "SecurityGroup",
            vpc_id=props.vpc_id,
            description=f"Lustre file system {props.name}",
            rules=inline_peer_rules(props.client_security_group_id, traffic),
            tags=tag_list(props.tags, props.name),
            retention=props.retention,
        )
        own_rules = add_self_rules(self, self.security_group_id, traffic, retention=props.retention)
        client_rules = add_peer_rules(
            self,
            props.client_security_group_id,
            self.security_group_id,
            traffic,
            prefix="Client",
            retention=props.retention,
        )
        file_system = add_resource(
            self,
            "Resource",
            "AWS::FSx::FileSystem",
            {
                "FileSystemType": "LUSTRE",
                "FileSystemTypeVersion": props.file_system_type_version,
                "StorageType": props.storage_type,
                "StorageCapacity": props.storage_capacity_gib,
                "SubnetIds": [props.subnet_id],
                "SecurityGroupIds": [self.security_group_id],
                "KmsKeyId": props.kms_key_arn,
                "LustreConfiguration": self._lustre_configuration(props),
                "Tags": tag_list(props.tags, props.name),
            },
            retention=props.retention,
            depends_on=[*own_rules, *client_rules, *props.client_rules],
        )
        self.file_system_id = file_system.ref
        self.dns_name = attribute(file_system, "DNSName")
        self.mount_name = attribute(file_system, "LustreMountName")
        self.mount_ready = client_rules
        self.links = add_data_repository_associations(
            self, self.file_system_id, props.data_repositories, props.tags
        )

    def _lustre_configuration(self, props: LustreFileSystemProps) -> dict[str, Any]:
        return {
            "DeploymentType": props.deployment_type,
            "PerUnitStorageThroughput": props.throughput_mbps_per_tib,
            "ThroughputCapacity": props.throughput_capacity_mbps,
            "DataReadCacheConfiguration": _read_cache(props.read_cache),
            "DriveCacheType": _DRIVE_CACHES[props.drive_cache],
            # other types support neither EFA nor this property
            "EfaEnabled": props.efa_enabled if props.deployment_type == "PERSISTENT_2" else None,
            # EFA requires this property, which can be set only at creation (STORAGE-14)
            "MetadataConfiguration": _metadata_configuration(props),
            "DataCompressionType": props.data_compression,
            "WeeklyMaintenanceStartTime": props.weekly_maintenance_start_time,
            "LogConfiguration": self._log_configuration(props),
            **_backups(props.backups),
        }

    def _log_configuration(self, props: LustreFileSystemProps) -> dict[str, Any]:
        if props.log_level == "DISABLED":
            return {"Level": props.log_level}
        log_group = add_log_group(
            self,
            "LogGroup",
            name=f"/aws/fsx/lustre/{props.log_name or props.name}",
            retention_days=props.log_retention_days,
            key_arn=props.log_key_arn,
            tags=props.tags,
        )
        # the group's Arn attribute ends in ":*", which matches its streams
        arn = "arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:log-group:${LogGroup}"
        return {"Level": props.log_level, "Destination": {"Fn::Sub": [arn, {"LogGroup": log_group.ref}]}}


_DRIVE_CACHES = {None: None, True: "READ", False: "NONE"}


def _metadata_configuration(props: LustreFileSystemProps) -> dict[str, Any] | None:
    if props.metadata_mode is None:
        return None
    return {"Mode": props.metadata_mode, "Iops": props.metadata_iops}


def _read_cache(cache: ReadCache | None) -> dict[str, Any] | None:
    if cache is None:
        return None
    return {"SizingMode": cache.sizing_mode, "SizeGiB": cache.size_gib or None}


def _backups(backups: DailyBackups | None) -> dict[str, Any]:
    if backups is None:
        return {}
    return {
        "AutomaticBackupRetentionDays": backups.retention_days,
        "DailyAutomaticBackupStartTime": backups.start_time,
        # not set for the default: with the property, turning on backups later would replace the file system
        # with an empty one (CloudFormation: "Update requires: Replacement")
        "CopyTagsToBackups": backups.copy_tags or None,
    }


def _check(props: LustreFileSystemProps) -> None:
    if (props.metadata_mode == "USER_PROVISIONED") != (props.metadata_iops is not None):
        raise ValueError(
            f"metadata_mode {props.metadata_mode!r} with metadata_iops {props.metadata_iops}: "
            "set metadata_iops with 'USER_PROVISIONED' and otherwise not"
        )
    if (props.storage_type == "INTELLIGENT_TIERING") != (props.storage_capacity_gib is None):
        raise ValueError(
            f"storage_type {props.storage_type!r} with storage_capacity_gib {props.storage_capacity_gib}: "
            "set a capacity, except for 'INTELLIGENT_TIERING', which grows automatically"
        )
    if props.efa_enabled and (props.deployment_type != "PERSISTENT_2" or props.metadata_mode is None):
        raise ValueError(
            f"efa_enabled with deployment_type {props.deployment_type!r} and metadata_mode "
            f"{props.metadata_mode!r}: EFA requires 'PERSISTENT_2' and a metadata configuration"
        )
    if props.data_repositories and props.backups is not None:
        raise ValueError(
            f"backups for {props.backups.retention_days} days and data_repositories: "
            "remove backups, which a file system with associations does not support"
        )
    names = [repository.name for repository in props.data_repositories]
    if len(set(names)) != len(names):
        raise ValueError(
            f"data repository names {names} are not unique: set a different name for each repository"
        )
