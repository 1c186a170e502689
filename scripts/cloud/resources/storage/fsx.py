"""FSx for Lustre, data repository associations and FSx for OpenZFS, through the FSx API."""

# ruff: noqa: D102 - Model and ApiModel describe the methods

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.cloud.resources.api import ApiModel, fitting
from scripts.cloud.resources.base import Context, Existing, Properties, only

_KINDS = ("LustreConfiguration", "OpenZFSConfiguration")


class _FSx(ApiModel):
    service = "fsx"
    reads = "describe_{}s"
    apart = ("MountName", "RootSquashConfiguration", "RootVolumeId", "VolumePath")
    """Members of a response's configuration that are not properties of the template."""

    def request_properties(self, context: Context, old: Properties | None, new: Properties) -> Properties:
        """Return the properties; remove configuration members that the operation does not accept."""
        client, method = (
            context.client("fsx"),
            (self.creates if old is None else self.updates).format(self.noun),
        )
        return {**new, **{kind: fitting(client, method, kind, new[kind]) for kind in _KINDS if kind in new}}

    def request(self, context: Context, method: str, existing: Existing) -> dict[str, Any]:
        request = super().request(context, method, existing)
        options = only(existing.properties.get("OpenZFSConfiguration", {}), "Options")
        deletes = options and method == self.deletes.format(self.noun)
        return request | ({"OpenZFSConfiguration": options} if deletes else {})

    def properties(self, context: Context, existing: Existing, record: Mapping[str, Any]) -> dict[str, Any]:
        kept = {
            kind: {name: value for name, value in record[kind].items() if name not in self.apart}
            for kind in _KINDS
            if kind in record
        }
        return super().properties(context, existing, {**record, **kept})


class FileSystem(_FSx):
    """An FSx file system."""

    type = "AWS::FSx::FileSystem"
    noun = "file_system"
    key = ("FileSystemId",)
    ref = "{FileSystemId}"

    def attributes(self, context: Context, existing: Existing, made: Properties) -> dict[str, Any]:
        lustre, open_zfs = (made.get(kind, {}) for kind in _KINDS)
        more = {"LustreMountName": lustre["MountName"]} if "MountName" in lustre else {}
        return super().attributes(context, existing, {**made, **more, **only(open_zfs, "RootVolumeId")})


class DataRepositoryAssociation(_FSx):
    """A data repository association."""

    type = "AWS::FSx::DataRepositoryAssociation"
    noun = "data_repository_association"
    key = ("AssociationId",)
    ref = "{AssociationId}"


class Volume(_FSx):
    """An FSx for OpenZFS volume."""

    type = "AWS::FSx::Volume"
    noun = "volume"
    key = ("VolumeId",)
    ref = "{VolumeId}"
