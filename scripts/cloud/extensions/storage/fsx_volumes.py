"""FSx for OpenZFS volumes, including the root volume, and requests that FSx rejects."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

from moto.core.exceptions import JsonRESTError
from moto.core.utils import unix_time
from moto.fsx.models import FSxBackend
from moto.fsx.responses import FSxResponse

from scripts.cloud.extensions.patch import adds
from scripts.cloud.extensions.records import Record, table

from .fsx_systems import CompleteFileSystem, invalid

# https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemOpenZFSConfiguration.html
_FIRST_GENERATION = (64, 128, 256, 512, 1024, 2048, 3072, 4096)
_SECOND_GENERATION = (160, 320, 640, 1280, 2560, 3840, 5120, 7680, 10240)
_DELETE_CHILDREN = "DELETE_CHILD_VOLUMES_AND_SNAPSHOTS"


def throughputs_mbps(deployment_type: str) -> tuple[int, ...]:
    """Return the throughput capacities of a deployment type."""
    first = deployment_type in ("SINGLE_AZ_1", "SINGLE_AZ_HA_1")
    return _FIRST_GENERATION if first else _SECOND_GENERATION


def complete(system: CompleteFileSystem) -> None:
    """Create the root volume of a new file system, mounted as `/fsx`."""
    configuration = dict(system.open_zfs_configuration or {})
    if not configuration:
        raise invalid("OPENZFS requires OpenZFSConfiguration with DeploymentType and ThroughputCapacity")
    check_throughput(configuration, configuration["ThroughputCapacity"])
    if (configuration["DeploymentType"] == "MULTI_AZ_1") != ("PreferredSubnetId" in configuration):
        raise invalid("PreferredSubnetId is required for MULTI_AZ_1, and not supported otherwise")
    root = configuration.pop("RootVolumeConfiguration", {})
    volume = _add_volume(system.backend, system.file_system_id, "fsx", "/fsx", root)
    system.open_zfs_configuration = {"RootVolumeId": volume["VolumeId"], **configuration}


def check_throughput(configuration: Record, wanted: int) -> None:
    """Check that the throughput capacity is valid."""
    kind = configuration["DeploymentType"]
    if wanted not in throughputs_mbps(kind):
        valid = ", ".join(map(str, throughputs_mbps(kind)))
        raise invalid(f"ThroughputCapacity {wanted} of {kind} is not one of {valid}")


def check_growth(now_gib: int, wanted_gib: int) -> None:
    """Check that the capacity increases by at least 10 %.

    https://docs.aws.amazon.com/fsx/latest/APIReference/API_UpdateFileSystem.html
    """
    if wanted_gib != now_gib and wanted_gib * 10 < now_gib * 11:
        raise invalid(f"StorageCapacity {wanted_gib} is not at least 10 percent above {now_gib}")


def delete_volumes(backend: FSxBackend, system: CompleteFileSystem, request: Record) -> None:
    """Back up and delete a file system's volumes; raises if the request does not include child volumes.

    https://docs.aws.amazon.com/fsx/latest/APIReference/API_DeleteFileSystemOpenZFSConfiguration.html
    """
    own = _of(backend, system.file_system_id)
    if len(own) > 1 and _DELETE_CHILDREN not in request.get("Options", []):
        raise invalid(f"{system.file_system_id} has child volumes: {', '.join(map(_path, own[1:]))}")
    if not request.get("SkipFinalBackup"):
        backend.create_backup(system.file_system_id, None, None, request.get("FinalBackupTags"))
    for volume in own:
        del _volumes(backend)[volume["VolumeId"]]


def _volumes(backend: FSxBackend) -> dict[str, Record]:
    return table(backend, "volumes")


def _of(backend: FSxBackend, file_system_id: str) -> list[Record]:
    return [v for v in _volumes(backend).values() if v["FileSystemId"] == file_system_id]


def _path(volume: Record) -> str:
    return str(volume["OpenZFSConfiguration"]["VolumePath"])


def _volume(backend: FSxBackend, volume_id: str) -> Record:
    if volume_id not in _volumes(backend):
        raise JsonRESTError("VolumeNotFound", f"{volume_id} does not exist")
    return _volumes(backend)[volume_id]


def _add_volume(
    backend: FSxBackend, file_system_id: str, name: str, path: str, configuration: Record
) -> Record:
    volume_id = f"fsvol-{uuid4().hex[:17]}"
    place = f"{backend.region_name}:{backend.account_id}"
    volume: Record = {
        "VolumeId": volume_id,
        "Name": name,
        "VolumeType": "OPENZFS",
        "FileSystemId": file_system_id,
        "CreationTime": unix_time(),
        "Lifecycle": "AVAILABLE",
        "ResourceARN": f"arn:aws:fsx:{place}:volume/{file_system_id}/{volume_id}",
        "OpenZFSConfiguration": {**configuration, "VolumePath": path},
    }
    _volumes(backend)[volume_id] = volume
    return volume


def _shown(backend: FSxBackend, volume: Record) -> Record:
    return {**volume, "Tags": backend.list_tags_for_resource(volume["ResourceARN"])}


@adds(FSxResponse, "create_volume")
def _create(self: FSxResponse) -> str:
    params, backend = json.loads(self.body), self.fsx_backend
    if params["VolumeType"] != "OPENZFS":
        raise invalid(f"the embedded cloud does not support volumes of {params['VolumeType']}")
    configuration = params["OpenZFSConfiguration"]
    parent = _volume(backend, configuration["ParentVolumeId"])
    path = f"{_path(parent)}/{params['Name']}"
    if path in map(_path, _of(backend, parent["FileSystemId"])):
        raise invalid(f"{parent['FileSystemId']} already has a volume {path}")
    volume = _add_volume(backend, parent["FileSystemId"], params["Name"], path, configuration)
    backend.tagger.tag_resource(volume["ResourceARN"], params.get("Tags") or [])
    return json.dumps({"Volume": _shown(backend, volume)})


@adds(FSxResponse, "describe_volumes")
def _describe(self: FSxResponse) -> str:
    params, backend = json.loads(self.body), self.fsx_backend
    chosen = [_volume(backend, i) for i in params.get("VolumeIds") or _volumes(backend)]
    for condition in params.get("Filters") or []:
        if condition["Name"] == "file-system-id":
            chosen = [v for v in chosen if v["FileSystemId"] in condition["Values"]]
    return json.dumps({"Volumes": [_shown(backend, volume) for volume in chosen]})


@adds(FSxResponse, "update_volume")
def _update(self: FSxResponse) -> str:
    params: dict[str, Any] = json.loads(self.body)
    volume = _volume(self.fsx_backend, params["VolumeId"])
    volume["OpenZFSConfiguration"].update(params.get("OpenZFSConfiguration") or {})
    if name := params.get("Name"):
        parent = _path(volume).rpartition("/")[0]
        volume["Name"] = name
        volume["OpenZFSConfiguration"]["VolumePath"] = f"{parent}/{name}"
    return json.dumps({"Volume": _shown(self.fsx_backend, volume)})


@adds(FSxResponse, "delete_volume")
def _delete(self: FSxResponse) -> str:
    params, backend = json.loads(self.body), self.fsx_backend
    volume = _volume(backend, params["VolumeId"])
    if "ParentVolumeId" not in volume["OpenZFSConfiguration"]:
        raise invalid(f"{volume['VolumeId']} is a root volume, which is deleted with its file system")
    path = volume["OpenZFSConfiguration"]["VolumePath"]
    below = [v for v in _of(backend, volume["FileSystemId"]) if _path(v).startswith(f"{path}/")]
    options = (params.get("OpenZFSConfiguration") or {}).get("Options", [])
    if below and _DELETE_CHILDREN not in options:
        raise invalid(f"{volume['VolumeId']} has child volumes: {', '.join(map(_path, below))}")
    for deleted in (volume, *below):
        del _volumes(backend)[deleted["VolumeId"]]
    return json.dumps({"VolumeId": volume["VolumeId"], "Lifecycle": "DELETING"})
