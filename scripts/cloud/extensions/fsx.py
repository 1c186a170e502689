"""FSx beyond moto: versions, mount names, updates, and data repository associations."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

from moto.core.exceptions import JsonRESTError
from moto.core.utils import unix_time
from moto.ec2.models import ec2_backends
from moto.fsx.exceptions import FileSystemNotFound
from moto.fsx.models import FileSystem, FSxBackend
from moto.fsx.responses import FSxResponse

from .existence import bucket_exists, key_exists, missing_network
from .patch import add
from .records import Record, table

_TYPES = ("WINDOWS", "LUSTRE", "ONTAP", "OPENZFS")
MAX_ASSOCIATIONS = 8  # per file system: https://docs.aws.amazon.com/fsx/latest/LustreGuide/limits.html


class CompleteFileSystem(FileSystem):
    """A file system that shows what FSx shows of it."""

    version: str | None = None

    def __init__(self, **request: Any) -> None:
        super().__init__(**request)
        self.file_system_id = f"fs-{uuid4().hex[:17]}"
        region, account = self.backend.region_name, self.backend.account_id
        self.resource_arn = f"arn:aws:fsx:{region}:{account}:file-system/{self.file_system_id}"
        self.dns_name = f"{self.file_system_id}.fsx.{region}.amazonaws.com"
        self.created = unix_time()
        self.vpc_id = ec2_backends[account][region].get_subnet(self.subnet_ids[0]).vpc_id
        if self.file_system_type == "LUSTRE":
            self.version = "2.15"
            self.lustre_configuration = {"MountName": uuid4().hex[:8], **(self.lustre_configuration or {})}
        if self.file_system_type == "OPENZFS":
            volume = {"RootVolumeId": f"fsvol-{uuid4().hex[:17]}"}
            self.open_zfs_configuration = volume | (self.open_zfs_configuration or {})

    def to_dict(self) -> dict[str, Any]:
        """The file system as DescribeFileSystems gives it."""
        version = {"FileSystemTypeVersion": self.version} if self.version else {}
        return super().to_dict() | {
            **version,
            "CreationTime": self.created,
            "Lifecycle": "AVAILABLE",
            "OwnerId": self.backend.account_id,
            "VpcId": self.vpc_id,
        }


def _invalid(message: str) -> JsonRESTError:
    return JsonRESTError("BadRequest", message)


def _system(backend: FSxBackend, file_system_id: str) -> Any:
    if file_system_id not in backend.file_systems:
        raise FileSystemNotFound(file_system_id)
    return backend.file_systems[file_system_id]


def _create_file_system(self: FSxResponse) -> str:
    params, backend = json.loads(self.body), self.fsx_backend
    groups = params.get("SecurityGroupIds", [])
    gone = missing_network(backend.account_id, backend.region_name, params["SubnetIds"], groups)
    if gone:
        raise JsonRESTError("InvalidNetworkSettings", f"these do not exist: {', '.join(gone)}")
    if params["FileSystemType"] not in _TYPES:
        raise _invalid(f"the file system type is one of {', '.join(_TYPES)}: {params['FileSystemType']}")
    key = params.get("KmsKeyId")
    if key and not key_exists(backend.account_id, backend.region_name, key):
        raise JsonRESTError("InvalidKmsKey", f"the key {key} does not exist or cannot be used")
    system = CompleteFileSystem(
        account_id=backend.account_id,
        region_name=backend.region_name,
        file_system_type=params["FileSystemType"],
        storage_capacity=params.get("StorageCapacity", 0),
        storage_type=params.get("StorageType", "SSD"),
        subnet_ids=params["SubnetIds"],
        security_group_ids=groups,
        tags=None,
        kms_key_id=key,
        windows_configuration=None,
        lustre_configuration=params.get("LustreConfiguration"),
        ontap_configuration=None,
        open_zfs_configuration=params.get("OpenZFSConfiguration"),
        backend=backend,
    )
    system.version = params.get("FileSystemTypeVersion", system.version)
    backend.tagger.tag_resource(system.resource_arn, params.get("Tags") or [])
    backend.file_systems[system.file_system_id] = system
    return json.dumps({"FileSystem": system.to_dict()})


def _update_file_system(self: FSxResponse) -> str:
    params = json.loads(self.body)
    system = _system(self.fsx_backend, params["FileSystemId"])
    capacity = params.get("StorageCapacity", system.storage_capacity)
    if capacity < system.storage_capacity:
        raise _invalid(
            f"storage capacity cannot be decreased: {system.storage_capacity} GiB to {capacity} GiB"
        )
    system.storage_capacity = capacity
    system.version = params.get("FileSystemTypeVersion", system.version)
    (system.lustre_configuration or {}).update(params.get("LustreConfiguration") or {})
    (system.open_zfs_configuration or {}).update(params.get("OpenZFSConfiguration") or {})
    return json.dumps({"FileSystem": system.to_dict()})


def _associations(backend: FSxBackend) -> dict[str, Record]:
    return table(backend, "data_repository_associations")


def _overlap(left: str, right: str) -> bool:
    left, right = left.rstrip("/") + "/", right.rstrip("/") + "/"
    return left.startswith(right) or right.startswith(left)


def _create_association(self: FSxResponse) -> str:
    params, backend = json.loads(self.body), self.fsx_backend
    system = _system(backend, params["FileSystemId"])
    siblings = [a for a in _associations(backend).values() if a["FileSystemId"] == system.file_system_id]
    if len(siblings) >= MAX_ASSOCIATIONS:
        raise _invalid(f"a file system has at most {MAX_ASSOCIATIONS} data repository associations")
    bucket = params["DataRepositoryPath"].removeprefix("s3://").split("/")[0]
    if not bucket_exists(backend.account_id, bucket):
        raise _invalid(f"the bucket {bucket} does not exist, or FSx cannot reach it")
    path = params.get("FileSystemPath", "/")
    for other in siblings:
        if _overlap(path, other["FileSystemPath"]):
            raise _invalid(
                f"the path {path} overlaps with {other['FileSystemPath']} of {other['AssociationId']}"
            )
        if _overlap(params["DataRepositoryPath"], other["DataRepositoryPath"]):
            raise _invalid(f"{params['DataRepositoryPath']} is linked already by {other['AssociationId']}")
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
    _associations(backend)[association_id] = association
    return json.dumps({"Association": association})


def _association(backend: FSxBackend, association_id: str) -> dict[str, Any]:
    found = _associations(backend).get(association_id)
    if found is None:
        raise JsonRESTError("DataRepositoryAssociationNotFound", f"{association_id} does not exist")
    return found


def _describe_associations(self: FSxResponse) -> str:
    params, backend = json.loads(self.body), self.fsx_backend
    chosen = [_association(backend, i) for i in params.get("AssociationIds") or _associations(backend)]
    for condition in params.get("Filters") or []:
        if condition["Name"] == "file-system-id":
            chosen = [a for a in chosen if a["FileSystemId"] in condition["Values"]]
    return json.dumps({"Associations": chosen})


def _update_association(self: FSxResponse) -> str:
    params = json.loads(self.body)
    association = _association(self.fsx_backend, params["AssociationId"])
    association.update({key: params[key] for key in ("ImportedFileChunkSize", "S3") if key in params})
    return json.dumps({"Association": association})


def _delete_association(self: FSxResponse) -> str:
    association_id = json.loads(self.body)["AssociationId"]
    _association(self.fsx_backend, association_id)
    del _associations(self.fsx_backend)[association_id]
    return json.dumps({"AssociationId": association_id, "Lifecycle": "DELETING"})


_delete_system = FSxResponse.delete_file_system


def _delete_file_system(self: FSxResponse) -> str:
    """FSx deletes the associations of a file system with it."""
    file_system_id = json.loads(self.body)["FileSystemId"]
    answer: str = _delete_system(self)
    associations = _associations(self.fsx_backend)
    for gone in [i for i, a in associations.items() if a["FileSystemId"] == file_system_id]:
        del associations[gone]
    return answer


def install() -> None:
    """Add the operations to FSx."""
    add(
        FSxResponse,
        create_file_system=_create_file_system,
        update_file_system=_update_file_system,
        delete_file_system=_delete_file_system,
        create_data_repository_association=_create_association,
        describe_data_repository_associations=_describe_associations,
        update_data_repository_association=_update_association,
        delete_data_repository_association=_delete_association,
    )
