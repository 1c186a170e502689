"""Profile models of Lustre file systems."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import (
    FILE_SYSTEM_ID,
    KMS_KEY_ARN,
    MAINTENANCE,
    MOUNT_NAME,
    NID,
    SECURITY_GROUP_ID,
    TIME_OF_DAY,
    Cidr,
    Model,
    Name,
    Sequence,
    ZoneId,
    ZoneName,
)
from config.profile.storage.repository import DataRepository

Deployment = Literal["scratch-2", "persistent-1", "persistent-2"]
StorageType = Literal["ssd", "hdd", "intelligent-tiering"]
LustreVersion = Literal["2.15", "2.12"]
LogLevel = Literal["warn-error", "error-only", "warn-only", "disabled"]
CacheSizing = Literal["proportional", "user-provisioned", "none"]

LARGEST_GIB = 2147483647
"""Maximum StorageCapacity of the FSx API (API_CreateFileSystem.html)."""

Squashed = Annotated[int, Field(ge=1, le=4294967294)]


class RootSquash(Model):
    """Root squash. The file system treats a client's root user as this user."""

    uid: Annotated[Squashed, Field(description="User ID that root acts as.")]
    gid: Annotated[Squashed, Field(description="Group ID that root acts as.")]
    except_clients: Annotated[
        Sequence[Annotated[str, Field(pattern=NID, max_length=43)]],
        Field(
            max_length=64,
            description="Clients that are exempt from root squash, as Lustre NIDs: `10.0.1.6@tcp`.",
        ),
    ] = ()


class ReadCache(Model):
    """The SSD read cache of an Intelligent-Tiering file system."""

    sizing: Annotated[
        CacheSizing,
        Field(description="`proportional`: the size depends on the throughput. `none`: no cache."),
    ] = "proportional"
    size_gib: Annotated[
        int | None, Field(ge=1, description="Size in GiB. Only with `sizing: user-provisioned`.")
    ] = None


class Backups(Model):
    """Daily backups."""

    retention_days: Annotated[int, Field(ge=1, le=90, description="Retention of daily backups in days.")] = 7
    daily_start: Annotated[
        str, Field(pattern=TIME_OF_DAY, description="Start of the daily backup in UTC, as `HH:MM`.")
    ] = "05:00"
    copy_tags: Annotated[bool, Field(description="Copy the file system's tags to backups.")] = False


class LustreFacts(Model):
    """Properties that new and existing Lustre file systems have in common."""

    name: Annotated[
        Name | None,
        Field(description="Unique name. Not needed for the file system in `lustre`."),
    ] = None
    deployment: Annotated[Deployment, Field(description="Deployment type of the file system.")] = (
        "persistent-2"
    )
    storage: Annotated[
        StorageType,
        Field(
            description="Storage type. `hdd` requires `persistent-1`, `intelligent-tiering` requires `persistent-2`."
        ),
    ] = "ssd"
    capacity_gib: Annotated[
        int | None,
        Field(
            ge=1,
            le=LARGEST_GIB,
            description="Storage capacity in GiB. Not with `intelligent-tiering`, whose storage grows automatically.",
        ),
    ] = None
    throughput_mbps_per_tib: Annotated[
        int | None,
        Field(
            ge=1,
            description="Throughput tier in MB/s per TiB. Not with `scratch-2` or `intelligent-tiering`.",
        ),
    ] = None
    throughput_mbps: Annotated[
        int | None,
        Field(ge=1, description="Throughput in MB/s, a multiple of 4000. Only with `intelligent-tiering`."),
    ] = None
    efa: Annotated[
        bool,
        Field(description="Enable EFA between clients and file servers. You can set it only at creation."),
    ] = False
    gpudirect: Annotated[
        bool,
        Field(description="Set up GPUDirect Storage on clients that support it. Requires `efa: true`."),
    ] = False
    metadata_iops: Annotated[
        int | None, Field(description="Metadata IOPS. Default: the automatic value for the capacity.")
    ] = None
    version: Annotated[LustreVersion, Field(description="Lustre version. EFA requires 2.15.")] = "2.15"
    mount_path: Annotated[str, Field(description="Mount path on the nodes.")] = "/fsx"
    checkpoint_paths: Annotated[
        Sequence[str],
        Field(
            description="Directories for a few large files, striped over all servers. Directories that export to S3 are always striped."
        ),
    ] = ()


class NewLustre(LustreFacts):
    """A new FSx for Lustre file system."""

    kind: Literal["new"]
    read_cache: Annotated[
        ReadCache | None,
        Field(description="Read cache. Required with `intelligent-tiering`, not supported otherwise."),
    ] = None
    drive_cache: Annotated[
        bool | None,
        Field(description="SSD cache of 20 % of the capacity. Required with `hdd`, not supported otherwise."),
    ] = None
    compression: Annotated[Literal["lz4", "none"], Field(description="Compression of new files.")] = "lz4"
    logs: Annotated[LogLevel, Field(description="Log level in CloudWatch Logs.")] = "warn-error"
    weekly_maintenance_start: Annotated[
        str,
        Field(
            pattern=MAINTENANCE,
            description="Start of the weekly 30-minute maintenance window in UTC, as `day:HH:MM`. Monday is day 1.",
        ),
    ] = "7:03:00"
    backups: Annotated[
        Backups | None,
        Field(description="Daily backups. Not supported with `scratch-2` or data repositories."),
    ] = None
    key_arn: Annotated[
        str | None,
        Field(
            pattern=KMS_KEY_ARN,
            description="ARN of the KMS key. Default: the stack creates a key. Not supported with `scratch-2`.",
        ),
    ] = None
    root_squash: Annotated[
        RootSquash | None,
        Field(description="Root squash. Default: root on a client is root on the file system."),
    ] = None
    data_repositories: Annotated[
        Sequence[DataRepository],
        Field(
            description="Data repository associations: directories that are linked to S3 buckets. Maximum: 8."
        ),
    ] = ()


class ExistingLustre(LustreFacts):
    """An existing Lustre file system. The profile declares its properties."""

    kind: Literal["existing"]
    file_system_id: Annotated[str, Field(pattern=FILE_SYSTEM_ID, description="ID of the file system.")]
    mount_name: Annotated[
        str,
        Field(pattern=MOUNT_NAME, description="Mount name, from `aws fsx describe-file-systems`."),
    ]
    security_group_id: Annotated[
        str,
        Field(
            pattern=SECURITY_GROUP_ID,
            description="Security group of the file system. The stack adds rules for the nodes.",
        ),
    ]
    availability_zone: Annotated[
        ZoneName | None, Field(description="Availability Zone name of the file system.")
    ] = None
    availability_zone_id: Annotated[
        ZoneId | None, Field(description="Availability Zone ID of the file system.")
    ] = None
    subnet_cidr: Annotated[
        Cidr | None,
        Field(
            description="IPv4 CIDR block of its subnet. EFA requires that nodes and file system are in one /16 CIDR block."
        ),
    ] = None


AnyLustre = NewLustre | ExistingLustre
Lustre = Annotated[AnyLustre, Field(discriminator="kind")]
