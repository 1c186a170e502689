"""The storage part of a profile."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import MAINTENANCE, WHOLE, Model, Sequence

RepositoryEvent = Literal["new", "changed", "deleted"]


class DataRepository(Model):
    """A data repository association: a directory of the file system linked with a prefix of a bucket."""

    path: Annotated[str, Field(description="Directory in the file system, from its root: /datasets.")]
    bucket: Annotated[str, Field(description="`new`, or the name of a bucket that exists.")]
    prefix: Annotated[str, Field(description="Prefix in the bucket; empty: the whole bucket.")] = ""
    import_events: Annotated[
        Sequence[RepositoryEvent],
        Field(alias="import", description="Changes in S3 that the file system follows."),
    ] = ()
    export_events: Annotated[
        Sequence[RepositoryEvent],
        Field(alias="export", description="Changes in the file system that go to S3."),
    ] = ()
    import_metadata_on_create: Annotated[
        bool,
        Field(
            description="List the bucket into the file system at creation; leave off for millions of objects."
        ),
    ] = False


class NewLustre(Model):
    """An FSx for Lustre file system of the cluster's own."""

    kind: Literal["new"]
    deployment: Annotated[
        Literal["persistent-2"], Field(description="Deployment type of the file system.")
    ] = "persistent-2"
    capacity_gib: Annotated[int, Field(ge=1, description="Storage capacity in GiB.")]
    throughput_mbps_per_tib: Annotated[int, Field(ge=1, description="Throughput tier in MB/s per TiB.")]
    efa: Annotated[
        bool, Field(description="True: clients reach the file servers over EFA; fixed at creation.")
    ]
    metadata_iops: Annotated[
        int | None, Field(description="Metadata IOPS; default: what the service gives for the capacity.")
    ] = None
    compression: Annotated[Literal["lz4", "none"], Field(description="Compression of new files.")] = "lz4"
    mount_path: Annotated[str, Field(description="Where nodes mount the file system.")] = "/fsx"
    weekly_maintenance_start: Annotated[
        str,
        Field(
            pattern=MAINTENANCE,
            description="Start of the 30-minute maintenance window, day:HH:MM in UTC, Monday is 1.",
        ),
    ] = "7:03:00"
    data_repositories: Annotated[
        Sequence[DataRepository], Field(description="Directories linked with buckets, 8 at most.")
    ] = ()


class LocalNvme(Model):
    """The local NVMe disks of GPU nodes."""

    raid: Annotated[
        Literal[0],
        WHOLE,
        Field(description="0: one striped volume over all disks; contents are lost on stop."),
    ]


class Storage(Model):
    """The storage tiers of the cluster."""

    lustre: Annotated[NewLustre | None, Field(description="The shared file system.")] = None
    local_nvme: Annotated[LocalNvme | None, Field(description="The disks of the GPU nodes.")] = None
