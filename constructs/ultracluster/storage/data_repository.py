"""Links between an FSx for Lustre file system and S3 (data repository associations)."""

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
    """One link between a directory of the file system and a prefix of a bucket.

    Attributes:
        name: Names the link among its siblings; part of its logical id.
        file_system_path: Absolute directory (`/datasets`). Paths of one file system may not nest.
        data_repository_path: `s3://bucket/prefix`. Prefixes of one file system may not nest either.
        import_events: Which changes in S3 show up in the file system. None by default.
        export_events: Which changes in the file system are written to S3. None by default.
        batch_import_metadata_on_create: Whether creation lists the whole prefix first, which can take an
            hour for millions of objects (STORAGE-17). False by default: import by a task.
        imported_file_chunk_size_mib: Size above which an imported file is striped. 1024, the service's
            default.
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
    """Link a file system to S3, one link after the other: those that export first, those that list last.

    FSx works on one association of a file system at a time, and creating or updating several at once fails or
    times out (STORAGE-04, STORAGE-05). What waits for one link waits for those before it too: nodes wait for
    those that carry what they write and for no other, and listing a bucket can take hours (STORAGE-17). Links
    that are alike keep the given order. Returns the links by name.
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
