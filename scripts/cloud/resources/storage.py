"""FSx for Lustre and its links to S3, over moto's FSx (see extensions)."""

# ruff: noqa: D102 - create, update and delete are described by Model

from __future__ import annotations

from .base import Context, Created, Existing, Model, Properties, only

# what UpdateFileSystem takes of a Lustre configuration
_CHANGEABLE = (
    "AutoImportPolicy",
    "AutomaticBackupRetentionDays",
    "DailyAutomaticBackupStartTime",
    "DataCompressionType",
    "DataReadCacheConfiguration",
    "LogConfiguration",
    "MetadataConfiguration",
    "PerUnitStorageThroughput",
    "ThroughputCapacity",
    "WeeklyMaintenanceStartTime",
)


class FileSystem(Model):
    """A file system."""

    type = "AWS::FSx::FileSystem"
    _NAMES = (
        "FileSystemType",
        "FileSystemTypeVersion",
        "StorageCapacity",
        "StorageType",
        "SubnetIds",
        "SecurityGroupIds",
        "KmsKeyId",
        "LustreConfiguration",
    )

    def create(self, context: Context, properties: Properties) -> Created:
        system = context.client("fsx").create_file_system(
            **only(properties, *self._NAMES), **context.tagged(properties)
        )["FileSystem"]
        attributes = {
            "Id": system["FileSystemId"],
            "DNSName": system["DNSName"],
            "LustreMountName": system["LustreConfiguration"]["MountName"],
            "ResourceARN": system["ResourceARN"],
        }
        return Created(system["FileSystemId"], attributes)

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        lustre = only(properties.get("LustreConfiguration", {}), *_CHANGEABLE)
        context.client("fsx").update_file_system(
            FileSystemId=existing.physical_id,
            LustreConfiguration=lustre,
            **only(properties, "StorageCapacity", "FileSystemTypeVersion"),
        )
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("fsx").delete_file_system(FileSystemId=existing.physical_id)


class DataRepositoryAssociation(Model):
    """A path of a file system that is kept in step with a bucket."""

    type = "AWS::FSx::DataRepositoryAssociation"

    def create(self, context: Context, properties: Properties) -> Created:
        names = ("FileSystemId", "FileSystemPath", "DataRepositoryPath", "ImportedFileChunkSize", "S3")
        association = context.client("fsx").create_data_repository_association(
            **only(properties, *names),
            **(
                {"BatchImportMetaDataOnCreate": True} if properties.get("BatchImportMetaDataOnCreate") else {}
            ),
            **context.tagged(properties),
        )["Association"]
        return Created(association["AssociationId"], only(association, "AssociationId", "ResourceARN"))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        context.client("fsx").update_data_repository_association(
            AssociationId=existing.physical_id, **only(properties, "ImportedFileChunkSize", "S3")
        )
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("fsx").delete_data_repository_association(AssociationId=existing.physical_id)


MODELS = (FileSystem(), DataRepositoryAssociation())
