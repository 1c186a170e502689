"""What nodes do about shared file systems: how they mount them, over which network, with which values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from config.catalog import InstanceType
from config.catalog.storage.lustre_clients import lustre_clients
from config.design.capacity.groups import GroupPlan, lustre_connections
from config.design.storage.local_disks import LocalDisks, plan_local_disks
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


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreMount:
    """How one node mounts one file system: `over_efa` says whether bulk data goes over EFA."""

    file_system: SharedLustre
    mounted_by: MountedBy
    over_efa: bool
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TunedValue:
    """A value that a node of this size gets, `module` options before the mount and `parameter`s after it."""

    kind: Literal["module", "parameter"]
    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientPlan:
    """What the nodes of one group do.

    `efa_interfaces` is how many interfaces Lustre's network gets, which is also the connections that a node
    opens to each file system; 0 where nothing goes over EFA. `gds`: GPUs read from the file system directly.
    """

    group: str
    systems: tuple[str, ...]
    mounts: tuple[LustreMount, ...]
    home: SharedHome | None
    home_mounted_by: MountedBy | None
    efa_interfaces: int
    gds: bool
    tunings: tuple[TunedValue, ...]
    local_disks: LocalDisks | None


def plan_clients(
    kind: str,
    groups: Iterable[GroupPlan],
    file_systems: Sequence[SharedLustre],
    home: SharedHome | None,
    *,
    local_nvme: bool,
    gds_types: Sequence[str] = (),
) -> tuple[ClientPlan, ...]:
    """What the nodes of each group do under the control plane of that kind, in the order of the groups.

    `gds_types` are the instance types whose GPUs are to read directly; those that no source allows are in it
    only where the profile opts in (p6-b300: the sources disagree).
    """
    return tuple(
        _plan(kind, group, file_systems, home, local_nvme=local_nvme, gds_types=gds_types) for group in groups
    )


def _plan(
    kind: str,
    group: GroupPlan,
    file_systems: Sequence[SharedLustre],
    home: SharedHome | None,
    *,
    local_nvme: bool,
    gds_types: Sequence[str],
) -> ClientPlan:
    connections = lustre_connections(group)
    mounts = tuple(
        LustreMount(
            file_system=file_system,
            mounted_by=mounted_by(kind, file_system.name),
            over_efa=file_system.efa and connections > 0,
            options=lustre_options(file_system),
        )
        for file_system in file_systems
    )
    over_efa = any(mount.over_efa for mount in mounts)
    return ClientPlan(
        group=group.name,
        systems=lustre_clients().images[kind],
        mounts=mounts,
        home=home,
        home_mounted_by=mounted_by(kind) if home else None,
        efa_interfaces=connections if over_efa else 0,
        gds=over_efa and group.instance_type.name in gds_types,
        tunings=tuned_values(group.instance_type) if mounts else (),
        local_disks=plan_local_disks(kind, group.instance_type, wanted=local_nvme),
    )


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


def tuned_values(instance: InstanceType) -> tuple[TunedValue, ...]:
    """AWS's values for a machine of this type."""
    return tuple(
        TunedValue(kind=tuning.kind, name=tuning.name, value=tuning.value_for(instance.vcpus))
        for tuning in lustre_clients().tunings
        if tuning.applies(instance.vcpus, instance.memory_gib)
    )


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


def client_fault(system: str, version: str, *, efa: bool) -> str | None:
    """Why nodes with an operating system (`ubuntu 22.04`) cannot mount a version; None: they can."""
    facts = lustre_clients()
    mountable = facts.versions_of(system)
    if not mountable:
        return f"{system} has no Lustre client in AWS's matrix"
    if version not in mountable:
        return f"the Lustre client of {system} mounts {' and '.join(mountable)}, not {version}"
    if efa and not facts.reaches_over_efa(system):
        return f"{system} reaches no file system over EFA"
    return None


def client_faults(kind: str, file_systems: Iterable[SharedLustre]) -> tuple[str, ...]:
    """What the images of a control plane cannot mount, one sentence for each file system."""
    found = (
        (file_system.name, client_fault(system, file_system.version, efa=file_system.efa))
        for file_system in file_systems
        for system in lustre_clients().images[kind]
    )
    return tuple(dict.fromkeys(f"{name}: {fault}" for name, fault in found if fault))
