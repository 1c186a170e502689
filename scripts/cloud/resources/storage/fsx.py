"""FSx for Lustre with its links to S3, and FSx for OpenZFS, over FSx."""

# ruff: noqa: D102 - create, update, delete and read are described by Model

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.base import (
    Context,
    Created,
    Existing,
    Model,
    Properties,
    found,
    known,
    only,
    tag_mapping,
)

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
# what it takes of an OpenZFS configuration:
# https://docs.aws.amazon.com/fsx/latest/APIReference/API_UpdateFileSystemOpenZFSConfiguration.html
_CHANGEABLE_OPENZFS = (
    "AutomaticBackupRetentionDays",
    "CopyTagsToBackups",
    "CopyTagsToVolumes",
    "DailyAutomaticBackupStartTime",
    "DiskIopsConfiguration",
    "ReadCacheConfiguration",
    "ThroughputCapacity",
    "WeeklyMaintenanceStartTime",
)


def _retag(context: Context, arn: str, old: Properties, new: Properties) -> None:
    fsx, before, after = context.client("fsx"), tag_mapping(old), context.tags(new)
    if set(before) - set(after):
        fsx.untag_resource(ResourceARN=arn, TagKeys=sorted(set(before) - set(after)))
    if after and after != before:
        fsx.tag_resource(ResourceARN=arn, Tags=context.tag_list(new))


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
        "OpenZFSConfiguration",
        "NetworkType",
    )

    def create(self, context: Context, properties: Properties) -> Created:
        request = only(properties, *self._NAMES)
        if "OpenZFSConfiguration" in request:
            # its options are those of the deletion
            settings = {k: v for k, v in request["OpenZFSConfiguration"].items() if k != "Options"}
            request["OpenZFSConfiguration"] = settings
        system = context.client("fsx").create_file_system(**request, **context.tagged(properties))[
            "FileSystem"
        ]
        attributes = {"Id": system["FileSystemId"], **only(system, "DNSName", "ResourceARN")}
        if "LustreConfiguration" in system:
            attributes["LustreMountName"] = system["LustreConfiguration"]["MountName"]
        if "OpenZFSConfiguration" in system:
            attributes["RootVolumeId"] = system["OpenZFSConfiguration"]["RootVolumeId"]
        return Created(system["FileSystemId"], attributes)

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        settings = {
            kind: only(properties[kind], *changeable)
            for kind, changeable in (
                ("LustreConfiguration", _CHANGEABLE),
                ("OpenZFSConfiguration", _CHANGEABLE_OPENZFS),
            )
            if kind in properties
        }
        names = ("StorageCapacity", "FileSystemTypeVersion")
        request = only(properties, *names) | settings
        if request != only(existing.properties, *names) | {k: existing.properties.get(k) for k in settings}:
            context.client("fsx").update_file_system(FileSystemId=existing.physical_id, **request)
        _retag(context, existing.attributes["ResourceARN"], existing.properties, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        options = only(existing.properties.get("OpenZFSConfiguration", {}), "Options")
        request = {"OpenZFSConfiguration": options} if options else {}
        context.client("fsx").delete_file_system(FileSystemId=existing.physical_id, **request)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        answer = found(context.client("fsx").describe_file_systems, FileSystemIds=[existing.physical_id])
        if answer is None or not answer["FileSystems"]:
            return None
        told: Mapping[str, Any] = answer["FileSystems"][0]
        # the name is an attribute, and root squash no property of CloudFormation
        apart = ("MountName", "RootSquashConfiguration")
        lustre = {k: v for k, v in told.get("LustreConfiguration", {}).items() if k not in apart}
        open_zfs = {k: v for k, v in told.get("OpenZFSConfiguration", {}).items() if k != "RootVolumeId"}
        names = [name for name in self._NAMES if name not in ("LustreConfiguration", "OpenZFSConfiguration")]
        return known(
            **only(told, *names),
            LustreConfiguration=lustre,
            OpenZFSConfiguration=open_zfs,
            Tags=sorted(told.get("Tags", []), key=lambda tag: str(tag["Key"])),
        )


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
        _retag(context, existing.attributes["ResourceARN"], existing.properties, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        context.client("fsx").delete_data_repository_association(AssociationId=existing.physical_id)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        ask = context.client("fsx").describe_data_repository_associations
        answer = found(ask, AssociationIds=[existing.physical_id])
        names = ("FileSystemId", "FileSystemPath", "DataRepositoryPath", "ImportedFileChunkSize", "S3")
        return None if answer is None else known(**only(answer["Associations"][0], *names))


class Volume(Model):
    """A volume of FSx for OpenZFS."""

    type = "AWS::FSx::Volume"
    # what UpdateVolume takes:
    # https://docs.aws.amazon.com/fsx/latest/APIReference/API_UpdateOpenZFSVolumeConfiguration.html
    _CHANGEABLE = (
        "DataCompressionType",
        "NfsExports",
        "ReadOnly",
        "RecordSizeKiB",
        "StorageCapacityQuotaGiB",
        "StorageCapacityReservationGiB",
        "UserAndGroupQuotas",
    )

    def create(self, context: Context, properties: Properties) -> Created:
        configuration = {k: v for k, v in properties["OpenZFSConfiguration"].items() if k != "Options"}
        volume = context.client("fsx").create_volume(
            **only(properties, "Name", "VolumeType"),
            OpenZFSConfiguration=configuration,
            **context.tagged(properties),
        )["Volume"]
        return Created(volume["VolumeId"], only(volume, "VolumeId", "ResourceARN"))

    def update(self, context: Context, existing: Existing, properties: Properties) -> Properties:
        context.client("fsx").update_volume(
            VolumeId=existing.physical_id,
            Name=properties["Name"],
            OpenZFSConfiguration=only(properties["OpenZFSConfiguration"], *self._CHANGEABLE),
        )
        _retag(context, existing.attributes["ResourceARN"], existing.properties, properties)
        return existing.attributes

    def delete(self, context: Context, existing: Existing) -> None:
        options = only(existing.properties["OpenZFSConfiguration"], "Options")
        context.client("fsx").delete_volume(VolumeId=existing.physical_id, OpenZFSConfiguration=options)

    def read(self, context: Context, existing: Existing) -> Properties | None:
        answer = found(context.client("fsx").describe_volumes, VolumeIds=[existing.physical_id])
        if answer is None:
            return None
        told = answer["Volumes"][0]
        configuration = {k: v for k, v in told["OpenZFSConfiguration"].items() if k != "VolumePath"}
        tags = sorted(told.get("Tags", []), key=lambda tag: str(tag["Key"]))
        return known(**only(told, "Name", "VolumeType"), OpenZFSConfiguration=configuration, Tags=tags)


MODELS = (FileSystem(), DataRepositoryAssociation(), Volume())
