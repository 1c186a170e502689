"""Shared file systems on nodes: mount options, and instance types with GPUDirect Storage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from config.design.capacity.groups import GroupPlan, lustre_connections
from config.design.storage.lustre import MAIN

MountedBy = Literal["service", "script", "csi"]
KUBERNETES = ("eks", "hyperpod-eks")


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedLustre:
    """A Lustre file system on its client nodes.

    `striped` are the directories with large files, as paths on the nodes. `dns_name_parameter` and
    `mount_name_parameter` are the SSM parameters that scripts read; None if scripts do not mount the file
    system. `noatime` reduces the number of metadata requests; it is False if access times are needed, for
    example for tiering.
    """

    name: str
    version: str
    efa: bool
    mount_path: str
    capacity_gib: int | None = None
    striped: tuple[str, ...] = ()
    noatime: bool = False
    dns_name_parameter: str | None = None
    mount_name_parameter: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedHome:
    """The home directories on nodes; `options` are NFS mount options."""

    mount_path: str
    options: tuple[str, ...]
    capacity_gib: int | None = None
    dns_name_parameter: str | None = None


def mounted_by(kind: str, name: str = MAIN) -> MountedBy:
    """Return what mounts the named file system: the CSI driver, the service (HyperPod), or a node script.

    HyperPod mounts one Lustre file system and the home directories itself.

    Source: https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ref.html
    """
    if kind in KUBERNETES:
        return "csi"
    return "service" if kind == "hyperpod-slurm" and name == MAIN else "script"


def lustre_options(file_system: SharedLustre) -> tuple[str, ...]:
    """Return the mount options of AWS's guide (mounting-ec2-instance.html); `flock` locks across nodes."""
    return ("noatime" if file_system.noatime else "relatime", "flock")


def gds_types_of(groups: Iterable[GroupPlan], opted_in: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the instance types with GPUDirect Storage: those in AWS's list, and those in `opted_in`."""
    return tuple(
        sorted(
            {
                group.instance_type.name
                for group in groups
                if lustre_connections(group)
                and (group.instance_type.gpudirect_storage or group.instance_type.name in opted_in)
            }
        )
    )
