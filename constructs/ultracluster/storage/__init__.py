"""Constructs for file systems, buckets and keys."""

from ultracluster.storage.client_access import ClientAccess, ClientAccessProps, FileService
from ultracluster.storage.data_bucket import DataBucket, DataBucketProps, LogBucket, LogBucketProps
from ultracluster.storage.data_repository import DataRepository, DataRepositoryEvent
from ultracluster.storage.directory_bucket import DirectoryBucket, DirectoryBucketProps
from ultracluster.storage.lustre_file_system import (
    CacheSizingMode,
    DailyBackups,
    DataCompression,
    LustreDeploymentType,
    LustreFileSystem,
    LustreFileSystemProps,
    LustreLogLevel,
    LustreStorageType,
    MetadataMode,
    ReadCache,
)
from ultracluster.storage.lustre_operations import (
    ImportTask,
    ImportTaskProps,
    LustreOperations,
    LustreOperationsProps,
    RootSquash,
    RootSquashProps,
)
from ultracluster.storage.open_zfs_file_system import (
    OpenZfsCompression,
    OpenZfsDeploymentType,
    OpenZfsFileSystem,
    OpenZfsFileSystemProps,
)
from ultracluster.storage.storage_key import StorageKey, StorageKeyProps

__all__ = [
    "CacheSizingMode",
    "ClientAccess",
    "ClientAccessProps",
    "DailyBackups",
    "DataBucket",
    "DataBucketProps",
    "DataCompression",
    "DataRepository",
    "DataRepositoryEvent",
    "DirectoryBucket",
    "DirectoryBucketProps",
    "FileService",
    "ImportTask",
    "ImportTaskProps",
    "LogBucket",
    "LogBucketProps",
    "LustreDeploymentType",
    "LustreFileSystem",
    "LustreFileSystemProps",
    "LustreLogLevel",
    "LustreOperations",
    "LustreOperationsProps",
    "LustreStorageType",
    "MetadataMode",
    "OpenZfsCompression",
    "OpenZfsDeploymentType",
    "OpenZfsFileSystem",
    "OpenZfsFileSystemProps",
    "ReadCache",
    "RootSquash",
    "RootSquashProps",
    "StorageKey",
    "StorageKeyProps",
]
