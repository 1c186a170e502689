"""Data repository associations between a Lustre file system and S3."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

from moto.core.exceptions import JsonRESTError
from moto.core.utils import unix_time
from moto.fsx.models import FSxBackend
from moto.fsx.responses import FSxResponse

from scripts.cloud.extensions.existence import bucket_exists
from scripts.cloud.extensions.patch import adds
from scripts.cloud.extensions.records import Record, table
from scripts.cloud.extensions.simulation import simulation

from .fsx_lustre import check_linkable
from .fsx_systems import invalid, system_of

MAX_ASSOCIATIONS = 8  # per file system: https://docs.aws.amazon.com/fsx/latest/LustreGuide/limits.html


def associations(backend: FSxBackend) -> dict[str, Record]:
    """Return all associations of an account and Region by ID."""
    return table(backend, "data_repository_associations")


def links_of(backend: FSxBackend, file_system_id: str) -> list[Record]:
    """Return the associations of a file system."""
    return [a for a in associations(backend).values() if a["FileSystemId"] == file_system_id]


def within(path: str, other: str) -> bool:
    """Return whether a path equals the other path or is below it."""
    return (path.rstrip("/") + "/").startswith(other.rstrip("/") + "/")


def _overlap(left: str, right: str) -> bool:
    return within(left, right) or within(right, left)


@adds(FSxResponse, "create_data_repository_association")
def _create(self: FSxResponse) -> str:
    params, backend = json.loads(self.body), self.fsx_backend
    system = system_of(backend, params["FileSystemId"])
    check_linkable(system)
    siblings = links_of(backend, system.file_system_id)
    if len(siblings) >= MAX_ASSOCIATIONS:
        raise invalid(f"a file system has at most {MAX_ASSOCIATIONS} data repository associations")
    bucket = params["DataRepositoryPath"].removeprefix("s3://").split("/")[0]
    if not bucket_exists(backend.account_id, bucket):
        raise invalid(f"the bucket {bucket} does not exist, or FSx cannot reach it")
    # https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateDataRepositoryAssociation.html
    path = params.get("FileSystemPath") or ""
    if not path.startswith("/"):
        raise invalid(f"FileSystemPath is required and must begin with a slash: {path or 'none'}")
    for other in siblings:
        if _overlap(path, other["FileSystemPath"]):
            raise invalid(
                f"the path {path} overlaps with {other['FileSystemPath']} of {other['AssociationId']}"
            )
        if _overlap(params["DataRepositoryPath"], other["DataRepositoryPath"]):
            raise invalid(f"{params['DataRepositoryPath']} is already associated by {other['AssociationId']}")
    association_id = f"dra-{uuid4().hex[:17]}"
    association = {
        "AssociationId": association_id,
        "ResourceARN": f"arn:aws:fsx:{backend.region_name}:{backend.account_id}:association/"
        f"{system.file_system_id}/{association_id}",
        "CreationTime": unix_time(),
        "FileSystemPath": path,
        "Lifecycle": "AVAILABLE",
        **{
            key: value for key, value in params.items() if key not in ("ClientRequestToken", "FileSystemPath")
        },
    }
    associations(backend)[association_id] = association
    note_exports(backend, system.file_system_id)
    return json.dumps({"Association": association})


def _association(backend: FSxBackend, association_id: str) -> dict[str, Any]:
    found = associations(backend).get(association_id)
    if found is None:
        raise JsonRESTError("DataRepositoryAssociationNotFound", f"{association_id} does not exist")
    return found


@adds(FSxResponse, "describe_data_repository_associations")
def _describe(self: FSxResponse) -> str:
    params, backend = json.loads(self.body), self.fsx_backend
    chosen = [_association(backend, i) for i in params.get("AssociationIds") or associations(backend)]
    for condition in params.get("Filters") or []:
        if condition["Name"] == "file-system-id":
            chosen = [a for a in chosen if a["FileSystemId"] in condition["Values"]]
    return json.dumps({"Associations": [_shown(association) for association in chosen]})


def _shown(association: Record) -> Record:
    """Return the association as the API returns it; its lifecycle is MISCONFIGURED if its export is stuck.

    https://docs.aws.amazon.com/fsx/latest/LustreGuide/dra-lifecycles.html
    """
    files = simulation().files.get(association["FileSystemId"])
    if not files or not files.stuck or not (association.get("S3") or {}).get("AutoExportPolicy"):
        return association
    return {**association, "Lifecycle": "MISCONFIGURED", "FailureDetails": {"Message": files.stuck}}


@adds(FSxResponse, "update_data_repository_association")
def _update(self: FSxResponse) -> str:
    params = json.loads(self.body)
    association = _association(self.fsx_backend, params["AssociationId"])
    association.update({key: params[key] for key in ("ImportedFileChunkSize", "S3") if key in params})
    note_exports(self.fsx_backend, association["FileSystemId"])
    return json.dumps({"Association": association})


@adds(FSxResponse, "delete_data_repository_association")
def _delete(self: FSxResponse) -> str:
    association_id = json.loads(self.body)["AssociationId"]
    association = _association(self.fsx_backend, association_id)
    del associations(self.fsx_backend)[association_id]
    note_exports(self.fsx_backend, association["FileSystemId"])
    return json.dumps({"AssociationId": association_id, "Lifecycle": "DELETING"})


def note_exports(backend: FSxBackend, file_system_id: str) -> None:
    """Set whether FSx exports changed files of a file system automatically."""
    policies = ((link.get("S3") or {}).get("AutoExportPolicy") for link in links_of(backend, file_system_id))
    simulation().set_exporting(file_system_id, exports=any(one and one.get("Events") for one in policies))
