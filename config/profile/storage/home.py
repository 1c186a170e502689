"""Profile models of home directories."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import (
    FILE_SYSTEM_ID,
    KMS_KEY_ARN,
    MAINTENANCE,
    SECURITY_GROUP_ID,
    Model,
    ZoneId,
    ZoneName,
)
from config.profile.storage.lustre import Backups

HomeDeployment = Literal["single-az-1", "single-az-2", "single-az-ha-1", "single-az-ha-2"]

MountPath = Annotated[str, Field(description="Mount path of the home directories on the nodes.")]


class NewHome(Model):
    """Home directories on a new FSx for OpenZFS file system, with a capacity that depends on the number of users."""

    kind: Literal["new"]
    users: Annotated[
        int, Field(ge=1, le=10000, description="Number of users. With `gib_per_user` it sets the capacity.")
    ]
    gib_per_user: Annotated[int, Field(ge=1, le=10000, description="Space for each user in GiB.")] = 100
    deployment: Annotated[
        HomeDeployment,
        Field(description="Deployment type. The `-ha-` types have a standby server in the same zone."),
    ] = "single-az-2"
    throughput_mbps: Annotated[
        int | None,
        Field(ge=1, description="Throughput in MB/s. Default: calculated from the number of users."),
    ] = None
    compression: Annotated[
        Literal["zstd", "lz4", "none"],
        Field(description="Compression. A change replaces the file system."),
    ] = "zstd"
    backups: Annotated[Backups, Field(description="Daily backups, on by default.")] = (
        Backups.model_construct()
    )
    weekly_maintenance_start: Annotated[
        str,
        Field(
            pattern=MAINTENANCE,
            description="Start of the weekly 30-minute maintenance window in UTC, as `day:HH:MM`. Monday is day 1.",
        ),
    ] = "7:04:00"
    key_arn: Annotated[
        str | None,
        Field(pattern=KMS_KEY_ARN, description="ARN of the KMS key. Default: the stack creates a key."),
    ] = None
    mount_path: MountPath = "/home"


class ExistingHome(Model):
    """Home directories on an existing FSx for OpenZFS file system. The profile declares its properties."""

    kind: Literal["existing"]
    file_system_id: Annotated[str, Field(pattern=FILE_SYSTEM_ID, description="ID of the file system.")]
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
    mount_path: MountPath = "/home"


AnyHome = NewHome | ExistingHome
Home = Annotated[AnyHome, Field(discriminator="kind")]
