"""File systems with the fields of FSx, and updates that are complete after several requests."""

from __future__ import annotations

from copy import deepcopy
from typing import Any
from uuid import uuid4

from moto.core.exceptions import JsonRESTError
from moto.core.utils import unix_time
from moto.ec2.models import ec2_backends
from moto.fsx.exceptions import FileSystemNotFound
from moto.fsx.models import FileSystem, FSxBackend

from scripts.cloud.extensions.records import Record

ROOT_SQUASH = "RootSquashConfiguration"
_NEXT = {"PENDING": "IN_PROGRESS", "IN_PROGRESS": "COMPLETED"}


class CompleteFileSystem(FileSystem):
    """A file system with the fields that FSx returns."""

    version: str | None = None

    def __init__(self, **request: Any) -> None:
        super().__init__(**request)
        self.file_system_id = f"fs-{uuid4().hex[:17]}"
        region, account = self.backend.region_name, self.backend.account_id
        self.resource_arn = f"arn:aws:fsx:{region}:{account}:file-system/{self.file_system_id}"
        self.dns_name = f"{self.file_system_id}.fsx.{region}.amazonaws.com"
        self.created = unix_time()
        self.vpc_id = ec2_backends[account][region].get_subnet(self.subnet_ids[0]).vpc_id
        self.actions: list[Record] = []

    @property
    def is_busy(self) -> bool:
        """Return whether an update is in progress."""
        return any(action["Status"] in _NEXT for action in self.actions)

    def begin_update(self, squash: Record) -> None:
        """Accept a change of root squash, which becomes effective after several requests."""
        target = {"LustreConfiguration": {ROOT_SQUASH: squash}}
        action = {
            "AdministrativeActionType": "FILE_SYSTEM_UPDATE",
            "RequestTime": unix_time(),
            "Status": "PENDING",
            "TargetFileSystemValues": target,
        }
        self.actions.insert(0, action)

    def go_on(self) -> None:
        """Advance the update by one step; called at each request for the file system."""
        for action in self.actions:
            action["Status"] = _NEXT.get(action["Status"], action["Status"])
            if action["Status"] == "COMPLETED" and not action.get("ProgressPercent"):
                action["ProgressPercent"] = 100
                target = action["TargetFileSystemValues"]["LustreConfiguration"]
                self.lustre_configuration = {**(self.lustre_configuration or {}), **target}

    def to_dict(self) -> dict[str, Any]:
        """Return the file system as DescribeFileSystems does."""
        version = {"FileSystemTypeVersion": self.version} if self.version else {}
        actions = {"AdministrativeActions": deepcopy(self.actions)} if self.actions else {}
        return super().to_dict() | {
            **version,
            **actions,
            "CreationTime": self.created,
            "Lifecycle": "UPDATING" if self.is_busy else "AVAILABLE",
            "OwnerId": self.backend.account_id,
            "VpcId": self.vpc_id,
        }


def invalid(message: str) -> JsonRESTError:
    """Return the error response of FSx for a request that it rejects."""
    return JsonRESTError("BadRequest", message)


def system_of(backend: FSxBackend, file_system_id: str) -> Any:
    """Return the file system with an ID; raises if it does not exist."""
    if file_system_id not in backend.file_systems:
        raise FileSystemNotFound(file_system_id)
    return backend.file_systems[file_system_id]
