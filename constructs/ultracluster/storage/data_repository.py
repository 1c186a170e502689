"""Data repository associations between an FSx for Lustre file system and S3."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from aws_cdk import CfnResource
from constructs import Construct

from ultracluster.cfn import add_resource, tag_list

DataRepositoryEvent = Literal["NEW", "CHANGED", "DELETED"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DataRepository:
    """One association between a directory of the file system and an S3 prefix.

    Attributes:
        name: Name of the association, unique in its file system; part of its logical ID.
        file_system_path: Absolute directory (`/datasets`). Paths on one file system must not overlap.
        data_repository_path: `s3://bucket/prefix`. Prefixes on one file system must not overlap.
        import_events: S3 changes that FSx imports. None by default.
        export_events: File system changes that FSx exports. None by default.
        batch_import_metadata_on_create: Whether FSx imports the metadata of the prefix when it creates the
            association. The import can last an hour for millions of objects (STORAGE-17). False by default:
            use `ImportTask`.
        imported_file_chunk_size_mib: File size above which an imported file is striped. 1024 by default.
    """

    name: str
    file_system_path: str
    data_repository_path: str
    import_events: Sequence[DataRepositoryEvent] = ()
    export_events: Sequence[DataRepositoryEvent] = ()
    batch_import_metadata_on_create: bool = False
    imported_file_chunk_size_mib: int = 1024


def add_data_repository_associations(
    scope: Construct, file_system_id: str, repositories: Sequence[DataRepository], tags: Mapping[str, str]
) -> dict[str, CfnResource]:
    """Create the associations of a file system one at a time, and return them by name.

    FSx changes one association of a file system at a time. Several creations or updates at once fail or time
    out (STORAGE-04, STORAGE-05). A resource that waits for an association also waits for all associations
    before it. Nodes wait only for associations that export, because an import can take hours (STORAGE-17).
    The order is therefore: first associations that export, last associations that import metadata at
    creation; otherwise the given order applies.
    """
    associations = {
        repository.name: _add_association(scope, file_system_id, repository, tags)
        for repository in sorted(repositories, key=lambda one: one.batch_import_metadata_on_create)
    }
    turns = [associations[repository.name] for repository in sorted(repositories, key=_turn)]
    for previous, association in pairwise(turns):
        association.node.add_dependency(previous)
    return associations


def _add_association(
    scope: Construct, file_system_id: str, repository: DataRepository, tags: Mapping[str, str]
) -> CfnResource:
    properties = {
        "FileSystemId": file_system_id,
        "FileSystemPath": repository.file_system_path,
        "DataRepositoryPath": repository.data_repository_path,
        "BatchImportMetaDataOnCreate": repository.batch_import_metadata_on_create,
        "ImportedFileChunkSize": repository.imported_file_chunk_size_mib,
        "S3": {
            "AutoImportPolicy": _events(repository.import_events),
            "AutoExportPolicy": _events(repository.export_events),
        }
        if repository.import_events or repository.export_events
        else None,
        "Tags": tag_list(tags, repository.name),
    }
    kind = "AWS::FSx::DataRepositoryAssociation"
    return add_resource(scope, f"Repository-{repository.name}", kind, properties)


def _turn(repository: DataRepository) -> tuple[bool, bool]:
    return repository.batch_import_metadata_on_create, not repository.export_events


def _events(events: Sequence[DataRepositoryEvent]) -> dict[str, Any] | None:
    return {"Events": sorted(events)} if events else None
