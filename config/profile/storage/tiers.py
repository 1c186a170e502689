"""Profile models of all storage tiers."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import WHOLE, Model, Name, Sequence
from config.profile.storage.home import Home
from config.profile.storage.lustre import Lustre


class LocalNvme(Model):
    """Local NVMe disks (instance store volumes) of GPU nodes."""

    raid: Annotated[
        Literal[0],
        WHOLE,
        Field(
            description="RAID level 0: one striped volume over all disks. Data is lost when the instance stops."
        ),
    ]
    containers: Annotated[
        bool, Field(description="Store container images and writable layers on the local disks.")
    ] = True


class Buckets(Model):
    """Settings of all buckets that the stack creates."""

    noncurrent_version_days: Annotated[
        int,
        Field(
            ge=1, le=3650, description="Days until S3 permanently deletes overwritten and deleted objects."
        ),
    ] = 30


class ExpressBucket(Model):
    """An S3 Express One Zone directory bucket in the cluster's zone."""

    retention_days: Annotated[
        int | None,
        Field(ge=1, le=3650, description="Days until objects expire. Default: objects do not expire."),
    ] = None


class Mountpoint(Model):
    """A bucket that pods mount as files (Mountpoint for Amazon S3)."""

    name: Annotated[Name, Field(description="Name of the volume.")]
    bucket: Annotated[
        str, Field(description="`s3-express` for the directory bucket, or the name of an existing bucket.")
    ]
    prefix: Annotated[str, Field(description="Prefix in the bucket. Empty: the whole bucket.")] = ""
    read_only: Annotated[bool, Field(description="Mount the bucket read-only.")] = True
    cache_gib: Annotated[
        int, Field(ge=0, le=100000, description="Size of the cache on the node's disks in GiB. 0: no cache.")
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
    local_nvme: Annotated[LocalNvme | None, Field(description="Local NVMe disks of the GPU nodes.")] = None
    s3_express: Annotated[
        ExpressBucket | None,
        Field(description="Directory bucket in the zone of the nodes, for many small reads."),
    ] = None
    mountpoints: Annotated[
        Sequence[Mountpoint], Field(max_length=20, description="Buckets that pods mount as volumes.")
    ] = ()
    buckets: Annotated[Buckets, Field(description="Settings of the buckets that the stack creates.")] = (
        Buckets.model_construct()
    )
