"""Home directories, as a profile states them."""

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

MountPath = Annotated[str, Field(description="Where nodes mount the home directories.")]


class NewHome(Model):
    """Home directories on an FSx for OpenZFS file system of the cluster's own, sized by its users."""

    kind: Literal["new"]
    users: Annotated[
        int, Field(ge=1, le=10000, description="How many people have a home directory; capacity follows.")
    ]
    gib_per_user: Annotated[int, Field(ge=1, le=10000, description="Space for each of them in GiB.")] = 100
    deployment: Annotated[
        HomeDeployment,
        Field(
            description="Deployment type; the -ha- ones have a second server that takes over in the same zone."
        ),
    ] = "single-az-2"
    throughput_mbps: Annotated[
        int | None, Field(ge=1, description="Throughput in MB/s; default: what the number of users asks for.")
    ] = None
    compression: Annotated[
        Literal["zstd", "lz4", "none"],
        Field(description="Compression, fixed at creation: another one is another file system."),
    ] = "zstd"
    backups: Annotated[Backups, Field(description="Daily backups, which are on by default.")] = (
        Backups.model_construct()
    )
    weekly_maintenance_start: Annotated[
        str,
        Field(
            pattern=MAINTENANCE,
            description="Start of the 30-minute maintenance window, day:HH:MM in UTC, Monday is 1.",
        ),
    ] = "7:04:00"
    key_arn: Annotated[
        str | None, Field(pattern=KMS_KEY_ARN, description="KMS key; default: one of the stack's own.")
    ] = None
    mount_path: MountPath = "/home"


class ExistingHome(Model):
    """Home directories on an OpenZFS file system that exists already; facts are stated, never looked up."""

    kind: Literal["existing"]
    file_system_id: Annotated[str, Field(pattern=FILE_SYSTEM_ID, description="Id of the file system.")]
    security_group_id: Annotated[
        str,
        Field(
            pattern=SECURITY_GROUP_ID,
            description="Its security group, to which the rules for the nodes are added.",
        ),
    ]
    availability_zone: Annotated[ZoneName | None, Field(description="Its zone by name.")] = None
    availability_zone_id: Annotated[ZoneId | None, Field(description="Its zone by id.")] = None
    mount_path: MountPath = "/home"


AnyHome = NewHome | ExistingHome
Home = Annotated[AnyHome, Field(discriminator="kind")]
