"""Checks of Lustre requests that FSx rejects, but that the API model allows."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

from scripts.cloud.extensions.records import Record

from .fsx_systems import ROOT_SQUASH, CompleteFileSystem, invalid

_SQUASH = re.compile(r"([0-9]{1,10}):([0-9]{1,10})")
_NID = re.compile(r"([0-9\[\]\-]*\.){3}([0-9\[\]\-]*)@tcp")
# https://docs.aws.amazon.com/fsx/latest/APIReference/API_LustreRootSquashConfiguration.html
_LARGEST_ID, _MOST_NIDS = 4294967294, 64


def complete(system: CompleteFileSystem, version: str | None) -> None:
    """Set the values that FSx selects, and reject values that contradict each other."""
    lustre = {"DeploymentType": "SCRATCH_1", **(system.lustre_configuration or {})}
    # the mount name of SCRATCH_1 is fixed
    name = "fsx" if lustre["DeploymentType"] == "SCRATCH_1" else uuid4().hex[:8]
    system.lustre_configuration = {"MountName": name, **lustre}
    system.version = version or _default_version(lustre)
    if lustre["DeploymentType"] == "PERSISTENT_2" and system.version == "2.10":
        raise invalid("PERSISTENT_2 does not support Lustre 2.10: use 2.12 or 2.15")
    if lustre.get("AutomaticBackupRetentionDays") and lustre["DeploymentType"].startswith("SCRATCH"):
        raise invalid(f"AutomaticBackupRetentionDays: {lustre['DeploymentType']} does not support backups")
    if squash := lustre.get(ROOT_SQUASH):
        check_root_squash(squash, lustre)


def _default_version(lustre: Record) -> str:
    # https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html
    if lustre["DeploymentType"] != "PERSISTENT_2":
        return "2.10"
    return "2.15" if lustre.get("MetadataConfiguration") else "2.12"


def check_root_squash(squash: Record, lustre: Record) -> None:
    """Check root squash: UID and GID are both 0 or both not 0, and the file system has no backups.

    https://docs.aws.amazon.com/fsx/latest/LustreGuide/root-squash.html
    """
    text, nids = squash.get("RootSquash", ""), squash.get("NoSquashNids") or []
    match = _SQUASH.fullmatch(text)
    if match is None:
        raise invalid(f"RootSquash {text} does not have the format UID:GID")
    uid, gid = (int(number) for number in match.groups())
    if max(uid, gid) > _LARGEST_ID:
        raise invalid(f"RootSquash {text}: UID and GID must be 0 to {_LARGEST_ID}")
    if (uid == 0) != (gid == 0):
        raise invalid(f"RootSquash {text}: both must be 0, which turns it off, or neither")
    if len(nids) > _MOST_NIDS:
        raise invalid(f"{len(nids)} NoSquashNids: the maximum is {_MOST_NIDS}")
    for nid in nids:
        if not _NID.fullmatch(nid):
            raise invalid(f"NoSquashNids: {nid} is not an address or a range of addresses with @tcp")
    if uid and lustre.get("AutomaticBackupRetentionDays"):
        raise invalid(f"RootSquash {text}: root squash is not supported with backups, which are on")


def check_backups(lustre: Record, wanted: Any, *, linked: bool) -> None:
    """Check that a file system with backups is persistent and has no associations and no root squash.

    https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-backups-fsx.html
    """
    if not wanted:
        return
    if lustre["DeploymentType"].startswith("SCRATCH"):
        raise invalid(f"{lustre['DeploymentType']} does not support backups")
    if linked:
        raise invalid("a file system with data repository associations does not support backups")
    if lustre.get(ROOT_SQUASH, {}).get("RootSquash", "0:0") != "0:0":
        raise invalid("backups are not supported with root squash: turn it off first, with 0:0")


def check_linkable(system: CompleteFileSystem) -> None:
    """Check that the file system supports associations.

    SCRATCH_1, Lustre 2.10, Intelligent-Tiering, and file systems with backups or an import or export path do
    not support associations.

    https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateDataRepositoryAssociation.html
    """
    if system.file_system_type != "LUSTRE":
        raise invalid("only Lustre file systems support data repository associations")
    lustre = system.lustre_configuration or {}
    if lustre["DeploymentType"] == "SCRATCH_1":
        raise invalid("a SCRATCH_1 file system does not support data repository associations")
    if system.version == "2.10":
        raise invalid("Lustre 2.10 does not support data repository associations")
    if system.storage_type == "INTELLIGENT_TIERING":
        raise invalid("Intelligent-Tiering does not support data repository associations")
    if lustre.get("AutomaticBackupRetentionDays"):
        raise invalid("AutomaticBackupRetentionDays: turn backups off before you create an association")
    if lustre.get("ImportPath") or lustre.get("ExportPath"):
        raise invalid("a file system with an import or export path does not support associations")
