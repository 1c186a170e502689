"""File systems, buckets and keys."""

from ultracluster.storage.data_bucket import DataBucket, DataBucketProps, LogBucket, LogBucketProps
from ultracluster.storage.data_repository import DataRepository, DataRepositoryEvent
from ultracluster.storage.lustre_file_system import (
    DataCompression,
    LustreFileSystem,
    LustreFileSystemProps,
    LustreLogLevel,
    MetadataMode,
)
from ultracluster.storage.storage_key import StorageKey, StorageKeyProps

__all__ = [
    "DataBucket",
    "DataBucketProps",
    "DataCompression",
    "DataRepository",
    "DataRepositoryEvent",
    "LogBucket",
    "LogBucketProps",
    "LustreFileSystem",
    "LustreFileSystemProps",
    "LustreLogLevel",
    "MetadataMode",
    "StorageKey",
    "StorageKeyProps",
]
