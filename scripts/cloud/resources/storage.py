"""FSx for Lustre and its links to S3, over moto's FSx (see extensions)."""

# ruff: noqa: D102 - create, update and delete are described by Model

from __future__ import annotations

from scripts.cloud.engine.errors import ResourceFailedError

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
        refused = _refused(existing.properties, properties)
        if refused:
            raise ResourceFailedError(
                f"FSx cannot change this on a file system that exists: {'; '.join(refused)}"
            )
        lustre = only(properties.get("LustreConfiguration", {}), *_CHANGEABLE)
        context.client("fsx").update_file_system(
            FileSystemId=existing.physical_id,
            LustreConfiguration=lustre,
            **only(properties, "StorageCapacity", "FileSystemTypeVersion"),
        )
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("fsx").delete_file_system(FileSystemId=existing.physical_id)


def _refused(before: Properties, after: Properties) -> list[str]:
    """What UpdateFileSystem has no way to do, although CloudFormation's schema calls it an update in place.

    https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html
    https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-metadata-performance.html
    """
    old, new = before.get("LustreConfiguration", {}), after.get("LustreConfiguration", {})
    fixed = [
        name for name in ("EfaEnabled", "DriveCacheType", "DeploymentType") if old.get(name) != new.get(name)
    ]
    if old.get("EfaEnabled") and old.get("PerUnitStorageThroughput") != new.get("PerUnitStorageThroughput"):
        fixed.append("PerUnitStorageThroughput, with EFA")
    was, will = (p.get("MetadataConfiguration", {}) for p in (old, new))
    if bool(was) != bool(will):
        fixed.append("MetadataConfiguration")
    elif was.get("Iops") and (will.get("Iops") or 0) < was["Iops"] and will.get("Mode") == "USER_PROVISIONED":
        fixed.append(f"MetadataConfiguration/Iops, from {was['Iops']} down to {will.get('Iops')}")
    return fixed


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
