"""The storage part of a profile."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import WHOLE, Model, Name, Sequence
from config.profile.storage.home import Home
from config.profile.storage.lustre import Lustre


class LocalNvme(Model):
    """The local NVMe disks of GPU nodes."""

    raid: Annotated[
        Literal[0],
        WHOLE,
        Field(description="0: one striped volume over all disks; contents are lost on stop."),
    ]
    containers: Annotated[
        bool, Field(description="True: images and writable layers of containers are kept there.")
    ] = True


class Buckets(Model):
    """What the buckets that the stack makes have in common."""

    noncurrent_version_days: Annotated[
        int,
        Field(
            ge=1, le=3650, description="Days after which an overwritten or deleted object is gone for good."
        ),
    ] = 30


class ExpressBucket(Model):
    """An S3 Express One Zone directory bucket in the cluster's zone."""

    retention_days: Annotated[
        int | None,
        Field(ge=1, le=3650, description="Days after which an object expires; default: never."),
    ] = None


class Mountpoint(Model):
    """A bucket that pods see as files (Mountpoint for Amazon S3)."""

    name: Annotated[Name, Field(description="Name of the volume.")]
    bucket: Annotated[
        str, Field(description="`s3-express` for the directory bucket, or the name of a bucket that exists.")
    ]
    prefix: Annotated[str, Field(description="Prefix in the bucket; empty: the whole bucket.")] = ""
    read_only: Annotated[bool, Field(description="True: nothing can be written there.")] = True
    cache_gib: Annotated[
        int, Field(ge=0, le=100000, description="Size of a cache on the node's disks in GiB; 0: none.")
    ] = 0


class Storage(Model):
    """The storage tiers of the cluster."""

    lustre: Annotated[Lustre | None, Field(description="The shared file system.")] = None
    additional_lustre: Annotated[
        Sequence[Lustre],
        Field(
            max_length=7, description="Further Lustre file systems, each with a `name` and a `mount_path`."
        ),
    ] = ()
    home: Annotated[Home | None, Field(description="Home directories that all nodes share.")] = None
    local_nvme: Annotated[LocalNvme | None, Field(description="The disks of the GPU nodes.")] = None
    s3_express: Annotated[
        ExpressBucket | None, Field(description="A directory bucket beside the nodes, for many small reads.")
    ] = None
    mountpoints: Annotated[
        Sequence[Mountpoint], Field(max_length=20, description="Buckets as volumes of pods.")
    ] = ()
    buckets: Annotated[Buckets, Field(description="What the stack's own buckets have in common.")] = (
        Buckets.model_construct()
    )
