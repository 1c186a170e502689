"""The Lustre file systems of a profile."""

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
"""The largest StorageCapacity of FSx's API (API_CreateFileSystem.html); no page states a smaller one."""

Squashed = Annotated[int, Field(ge=1, le=4294967294)]


class RootSquash(Model):
    """What root of a client is on the file system: an ordinary user."""

    uid: Annotated[Squashed, Field(description="User id that root becomes.")]
    gid: Annotated[Squashed, Field(description="Group id that root becomes.")]
    except_clients: Annotated[
        Sequence[Annotated[str, Field(pattern=NID, max_length=43)]],
        Field(
            max_length=64, description="Clients on which root stays root, as Lustre names them: 10.0.1.6@tcp."
        ),
    ] = ()


class ReadCache(Model):
    """The SSD read cache of an Intelligent-Tiering file system."""

    sizing: Annotated[
        CacheSizing, Field(description="proportional: grows with the throughput; none: no cache.")
    ] = "proportional"
    size_gib: Annotated[
        int | None, Field(ge=1, description="Size in GiB, with `sizing: user-provisioned`.")
    ] = None


class Backups(Model):
    """Daily backups."""

    retention_days: Annotated[int, Field(ge=1, le=90, description="Days that a daily backup is kept.")] = 7
    daily_start: Annotated[
        str, Field(pattern=TIME_OF_DAY, description="When the daily backup starts, HH:MM in UTC.")
    ] = "05:00"
    copy_tags: Annotated[bool, Field(description="True: backups carry the file system's tags.")] = False


class LustreFacts(Model):
    """What clients of a Lustre file system go by, whoever made it."""

    name: Annotated[
        Name | None,
        Field(description="Name among several file systems; the one under `lustre` needs none."),
    ] = None
    deployment: Annotated[Deployment, Field(description="Deployment type of the file system.")] = (
        "persistent-2"
    )
    storage: Annotated[
        StorageType,
        Field(description="What it stores on; hdd is persistent-1's, intelligent-tiering persistent-2's."),
    ] = "ssd"
    capacity_gib: Annotated[
        int | None,
        Field(
            ge=1,
            le=LARGEST_GIB,
            description="Storage capacity in GiB; none with intelligent-tiering, which grows by itself.",
        ),
    ] = None
    throughput_mbps_per_tib: Annotated[
        int | None,
        Field(
            ge=1, description="Throughput tier in MB/s per TiB; scratch-2 and intelligent-tiering have none."
        ),
    ] = None
    throughput_mbps: Annotated[
        int | None,
        Field(
            ge=1, description="Throughput in MB/s, with intelligent-tiering alone: 4000, 8000 and so forth."
        ),
    ] = None
    efa: Annotated[
        bool, Field(description="True: clients reach the file servers over EFA; fixed at creation.")
    ] = False
    gpudirect: Annotated[
        bool,
        Field(
            description="True: clients that can are set up for GPUDirect Storage, which EFA file systems serve."
        ),
    ] = False
    metadata_iops: Annotated[
        int | None, Field(description="Metadata IOPS; default: what the service gives for the capacity.")
    ] = None
    version: Annotated[LustreVersion, Field(description="Lustre version; EFA wants 2.15.")] = "2.15"
    mount_path: Annotated[str, Field(description="Where nodes mount the file system.")] = "/fsx"
    checkpoint_paths: Annotated[
        Sequence[str],
        Field(
            description="Directories for few large files, striped over all servers; those that export to S3 are anyway."
        ),
    ] = ()


class NewLustre(LustreFacts):
    """An FSx for Lustre file system of the cluster's own."""

    kind: Literal["new"]
    read_cache: Annotated[
        ReadCache | None, Field(description="Read cache; only intelligent-tiering has one, and wants it.")
    ] = None
    drive_cache: Annotated[
        bool | None,
        Field(description="Only with hdd, which wants it: true for an SSD cache of a fifth of the capacity."),
    ] = None
    compression: Annotated[Literal["lz4", "none"], Field(description="Compression of new files.")] = "lz4"
    logs: Annotated[LogLevel, Field(description="What the file system logs to CloudWatch.")] = "warn-error"
    weekly_maintenance_start: Annotated[
        str,
        Field(
            pattern=MAINTENANCE,
            description="Start of the 30-minute maintenance window, day:HH:MM in UTC, Monday is 1.",
        ),
    ] = "7:03:00"
    backups: Annotated[
        Backups | None, Field(description="Daily backups; none for scratch-2 or beside data repositories.")
    ] = None
    key_arn: Annotated[
        str | None,
        Field(
            pattern=KMS_KEY_ARN, description="KMS key; default: one of the stack's own. Not for scratch-2."
        ),
    ] = None
    root_squash: Annotated[
        RootSquash | None, Field(description="What root of a client is there; default: root.")
    ] = None
    data_repositories: Annotated[
        Sequence[DataRepository], Field(description="Directories linked with buckets, 8 at most.")
    ] = ()


class ExistingLustre(LustreFacts):
    """A Lustre file system that exists already; its facts are stated, never looked up."""

    kind: Literal["existing"]
    file_system_id: Annotated[str, Field(pattern=FILE_SYSTEM_ID, description="Id of the file system.")]
    mount_name: Annotated[
        str,
        Field(pattern=MOUNT_NAME, description="Its mount name, as DescribeFileSystems gives it."),
    ]
    security_group_id: Annotated[
        str,
        Field(
            pattern=SECURITY_GROUP_ID,
            description="Its security group, to which the rules for the nodes are added.",
        ),
    ]
    availability_zone: Annotated[ZoneName | None, Field(description="Its zone by name.")] = None
    availability_zone_id: Annotated[ZoneId | None, Field(description="Its zone by id.")] = None
    subnet_cidr: Annotated[
        Cidr | None, Field(description="IPv4 block of its subnet; EFA wants one /16 for both.")
    ] = None


AnyLustre = NewLustre | ExistingLustre
Lustre = Annotated[AnyLustre, Field(discriminator="kind")]
