"""FSx operations on Lustre and OpenZFS file systems that moto does not have."""

from __future__ import annotations

import json
from typing import Any

from moto.core.exceptions import JsonRESTError
from moto.fsx.models import FSxBackend
from moto.fsx.responses import FSxResponse

from scripts.cloud.extensions.existence import key_exists, missing_network
from scripts.cloud.extensions.patch import adds
from scripts.cloud.extensions.simulation import simulation

from . import fsx_lustre, fsx_tasks, fsx_volumes
from .fsx_associations import associations, links_of
from .fsx_systems import ROOT_SQUASH, CompleteFileSystem, invalid, system_of

_TYPES = ("WINDOWS", "LUSTRE", "ONTAP", "OPENZFS")
_delete_system = FSxResponse.delete_file_system


@adds(FSxResponse, "create_file_system")
def _create(self: FSxResponse) -> str:
    params, backend = json.loads(self.body), self.fsx_backend
    groups = params.get("SecurityGroupIds", [])
    missing = missing_network(backend.account_id, backend.region_name, params["SubnetIds"], groups)
    if missing:
        raise JsonRESTError("InvalidNetworkSettings", f"not found: {', '.join(missing)}")
    if params["FileSystemType"] not in _TYPES:
        raise invalid(f"FileSystemType {params['FileSystemType']} is not one of {', '.join(_TYPES)}")
    key = params.get("KmsKeyId")
    if key and not key_exists(backend.account_id, backend.region_name, key):
        raise JsonRESTError("InvalidKmsKey", f"the key {key} does not exist or is not usable")
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
    if system.file_system_type == "LUSTRE":
        fsx_lustre.complete(system, params.get("FileSystemTypeVersion"))
    if system.file_system_type == "OPENZFS":
        fsx_volumes.complete(system)
    backend.tagger.tag_resource(system.resource_arn, params.get("Tags") or [])
    backend.file_systems[system.file_system_id] = system
    return json.dumps({"FileSystem": system.to_dict()})


@adds(FSxResponse, "describe_file_systems")
def _describe(self: FSxResponse) -> str:
    params, backend = json.loads(self.body), self.fsx_backend
    chosen = [system_of(backend, i) for i in params.get("FileSystemIds") or backend.file_systems]
    answer = json.dumps({"FileSystems": [system.to_dict() for system in chosen]})
    for system in chosen:
        system.go_on()
    return answer


@adds(FSxResponse, "update_file_system")
def _update(self: FSxResponse) -> str:
    params, backend = json.loads(self.body), self.fsx_backend
    system = system_of(backend, params["FileSystemId"])
    if system.is_busy:
        raise invalid(f"{system.file_system_id} is being updated: wait until the update has completed")
    capacity = params.get("StorageCapacity", system.storage_capacity)
    if capacity < system.storage_capacity:
        raise invalid(
            f"storage capacity cannot be decreased: {system.storage_capacity} GiB to {capacity} GiB"
        )
    if system.file_system_type == "LUSTRE":
        _update_lustre(backend, system, dict(params.get("LustreConfiguration") or {}))
    if system.file_system_type == "OPENZFS":
        changes = params.get("OpenZFSConfiguration") or {}
        fsx_volumes.check_growth(system.storage_capacity, capacity)
        if "ThroughputCapacity" in changes:
            fsx_volumes.check_throughput(system.open_zfs_configuration, changes["ThroughputCapacity"])
        system.open_zfs_configuration.update(changes)
    system.storage_capacity = capacity
    system.version = params.get("FileSystemTypeVersion", system.version)
    return json.dumps({"FileSystem": system.to_dict()})


def _update_lustre(backend: FSxBackend, system: Any, changes: dict[str, Any]) -> None:
    lustre = system.lustre_configuration
    linked = bool(links_of(backend, system.file_system_id))
    fsx_lustre.check_backups(lustre, changes.get("AutomaticBackupRetentionDays"), linked=linked)
    squash = changes.pop(ROOT_SQUASH, None)
    if squash is not None:
        fsx_lustre.check_root_squash(squash, lustre | changes)
        system.begin_update(squash)
    lustre.update(changes)


@adds(FSxResponse, "delete_file_system")
def _delete(self: FSxResponse) -> str:
    """Delete a file system with its associations, as FSx does."""
    params, backend = json.loads(self.body), self.fsx_backend
    file_system_id = params["FileSystemId"]
    system = system_of(backend, file_system_id)
    fsx_tasks.check_no_task_runs(backend, file_system_id)
    if system.file_system_type == "OPENZFS":
        fsx_volumes.delete_volumes(backend, system, params.get("OpenZFSConfiguration") or {})
    answer: str = _delete_system(self)
    for association in links_of(backend, file_system_id):
        del associations(backend)[association["AssociationId"]]
    simulation().forget(file_system_id)
    return answer


_create_backup_of = FSxResponse.create_backup


@adds(FSxResponse, "create_backup")
def _create_backup(self: FSxResponse) -> str:
    params, backend = json.loads(self.body), self.fsx_backend
    if "FileSystemId" in params:
        system = system_of(backend, params["FileSystemId"])
        if system.file_system_type == "LUSTRE":
            linked = bool(links_of(backend, system.file_system_id))
            fsx_lustre.check_backups(system.lustre_configuration, True, linked=linked)
    answer: str = _create_backup_of(self)
    return answer


_describe_backups_of = FSxResponse.describe_backups


@adds(FSxResponse, "describe_backups")
def _describe_backups(self: FSxResponse) -> str:
    """Return backups with their file systems; a backup becomes available after the first request for it."""
    response = json.loads(_describe_backups_of(self))
    for one in response["Backups"]:
        one |= {"FileSystem": {"FileSystemId": one.pop("FileSystemId", "")}, "Type": "USER_INITIATED"}
        self.fsx_backend.backups[one["BackupId"]].lifecycle = "AVAILABLE"
    return json.dumps(response)
