"""Shared file systems as nodes see them: how they are mounted, and which GPUs read from them directly."""

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
    """A Lustre file system as its clients see it.

    `striped` are its directories of large files, as paths on the nodes. `dns_name_parameter` and
    `mount_name_parameter` are the SSM parameters that scripts read; None where no script mounts it.
    `noatime` saves metadata requests, and takes from release and tiering what they go by.
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
    """The home directories as nodes see them; `options` are those of NFS."""

    mount_path: str
    options: tuple[str, ...]
    capacity_gib: int | None = None
    dns_name_parameter: str | None = None


def mounted_by(kind: str, name: str = MAIN) -> MountedBy:
    """Who mounts a file system of that name, or the home directories: HyperPod's API takes one of each kind.

    Source: https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ref.html
    """
    if kind in KUBERNETES:
        return "csi"
    return "service" if kind == "hyperpod-slurm" and name == MAIN else "script"


def lustre_options(file_system: SharedLustre) -> tuple[str, ...]:
    """Mount options of AWS's guide; locks across nodes are what `flock` adds (mounting-ec2-instance.html)."""
    return ("noatime" if file_system.noatime else "relatime", "flock")


def gds_types_of(groups: Iterable[GroupPlan], opted_in: Sequence[str] = ()) -> tuple[str, ...]:
    """The groups' types whose GPUs can read from Lustre directly: those of AWS's list, and those opted in."""
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
