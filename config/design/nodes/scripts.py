"""Script bundles of nodes: one library and an entry script for each control plane, under a content hash."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from config.catalog.storage.lustre_clients import KernelRow, lustre_clients
from config.design.capacity.groups import GroupPlan, lustre_connections
from config.design.names import fingerprint
from config.design.nodes.clients import KUBERNETES, SharedHome, SharedLustre, mounted_by
from config.design.nodes.repair.policy import RepairPolicy, plan_policy
from config.design.nodes.repair.targets import script_repair
from config.design.storage.local_disks import script_policy
from config.profile.observability.alerts import Repair

if TYPE_CHECKING:
    from config.design.nodes.collection import SlurmCollection
    from config.design.nodes.people import NodePeople

_FOLDER = Path(__file__).resolve().parents[3] / "scripts" / "node"
_PARTS = (
    "log", "machine", "parameters", "nvme", "docker", "enroot", "containers", "kubernetes", "lnet", "tuning",
    "kernel", "mounts", "striping", "health", "check", "gpu", "slurm", "upkeep", "units",
)  # fmt: skip
"""The parts of the library; `log` is first, because the other parts call its functions at the top level."""

_METRICS_PARTS = (
    "efa_counters", "kernel_xids", "attribution", "downloads", "identity", "exporters", "dcgm",
    "agent", "install",
)  # fmt: skip
"""The parts of the metrics library."""

_ACCESS_PARTS = ("people", "accounts", "directory", "install")
"""The parts of the library for user accounts."""
_PYXIS = "step configure_pyxis\n"
_SHELL = "# shellcheck shell=bash\n"

_INSTALL = 'step install_units "$here"\n'
_HOLD = 'step bash "$here/calendar.sh" install "$here"\n'

ENTRIES: Mapping[str, str] = {
    "hyperpod-slurm": "on_init_complete.sh",
    "hyperpod-eks": "on_create.sh",
    "eks": "prepare.sh",
    "pcs": "prepare.sh",
}
"""The entry script of each control plane."""

_AROUND_JOBS = ("prolog.sh", "epilog.sh")
"""Scripts that Slurm runs on each node before and after a job."""

USER_SCRIPT = "user_script.sh"
"""File of the user's own script; the entry script runs it last if it exists."""

REGISTRY = "registry.sh"
"""Script that configures the ECR sign-in of enroot."""

FETCH = "fetch.sh"
"""Script that downloads the bundle if the service does not; arguments: URI, Region and entry script."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeScriptsPlan:
    """A script bundle: its files by name, its entry script, and the hash of its content.

    The S3 prefix contains the hash. HyperPod downloads a prefix, not a version, so HyperPod would not notice
    a changed script under the same prefix. `parameters` are the SSM parameters that the scripts read.
    """

    files: Mapping[str, str] = field(hash=False)
    entry: str
    content_hash: str
    parameters: tuple[str, ...] = ()
    collection: SlurmCollection | None = None
    people: NodePeople | None = None


def plan_node_scripts(
    kind: str,
    region: str,
    groups: Iterable[GroupPlan],
    file_systems: Sequence[SharedLustre],
    home: SharedHome | None,
    *,
    local_nvme: bool,
    containers_on_nvme: bool = True,
    gds_types: Sequence[str] = (),
    repaired: bool = False,
    policy: RepairPolicy | None = None,
    collection: SlurmCollection | None = None,
    spares: Mapping[str, int] | None = None,
    calendar: Mapping[str, str] | None = None,
) -> NodeScriptsPlan:
    """Return the script bundle of a cluster; parts that are None or empty are not in the bundle.

    `gds_types`: instance types with GPUDirect Storage. `repaired`: the service reboots or replaces a node
    that Slurm reports as failed, as HyperPod does. `policy`: the repair policy; None for the default.
    `collection`: metrics collection. `spares`: spare nodes by partition. `calendar`: settings for the end of
    reservations.
    """
    nodes = tuple(groups)
    files = {
        ENTRIES[kind]: _read(f"{kind}/{ENTRIES[kind]}"),
        **({FETCH: fetch_script()} if kind == "pcs" else {}),
        **({} if kind in KUBERNETES else {name: _read(f"slurm/{name}") for name in _AROUND_JOBS}),
        "boot.sh": _read("boot.sh"),
        "library.sh": _library(),
        "settings.env": _text(
            {
                "NODE_REGION": region,
                "CONTAINERS": "kubernetes" if kind in KUBERNETES else "slurm",
                "LOCAL_NVME": script_policy(kind, wanted=local_nvme),
                "NVME_CONTAINERS": "true" if containers_on_nvme else "false",
                "MOUNT_STYLE": "fstab" if kind == "hyperpod-slurm" else "explicit",
                "LUSTRE_PACKAGE": package_of(kind, file_systems) or "",
                "STRIPED_BY": "controller" if kind == "hyperpod-slurm" else "any",
                **_file_systems(kind, file_systems, home),
                **_lustre_facts(nodes, gds_types),
                **_machine_facts(nodes),
                **script_repair(policy or plan_policy(Repair()), kind, nodes, repaired=repaired),
                "SLURM_CONF_OWNER": "controller" if kind == "hyperpod-slurm" else "service",
            }
        ),
    }
    if spares:
        files |= _sparing(files, kind, spares)
    scripted = [fs for fs in file_systems if mounted_by(kind, fs.name) == "script"]
    names = [name for fs in scripted for name in (fs.dns_name_parameter, fs.mount_name_parameter)]
    if home and mounted_by(kind) == "script":
        names.append(home.dns_name_parameter)
    if collection is not None:
        names += collection.parameters
        files |= _collecting(kind, files[ENTRIES[kind]], collection)
    if calendar is not None and kind not in KUBERNETES:
        files |= {"calendar.sh": _read("slurm/calendar.sh"), "calendar-settings.env": _text(calendar)}
        files[ENTRIES[kind]] = files[ENTRIES[kind]].replace(_INSTALL, _INSTALL + _HOLD)
    return NodeScriptsPlan(
        files=files,
        entry=ENTRIES[kind],
        content_hash=fingerprint(files, 16),
        parameters=tuple(sorted({name for name in names if name})),
        collection=collection,
    )


def _sparing(files: Mapping[str, str], kind: str, spares: Mapping[str, int]) -> dict[str, str]:
    """Return the files that a bundle with spare nodes adds or replaces."""
    entry = files[ENTRIES[kind]]
    assert _INSTALL in entry
    lines = "".join(f"{partition} {count}\n" for partition, count in spares.items())
    return {
        "spares.sh": _read("slurm/spares.sh"),
        "settings.env": files["settings.env"] + _text({"SPARE_NODES": lines.rstrip("\n")}),
        ENTRIES[kind]: entry.replace(_INSTALL, f'{_INSTALL}step bash "$here/spares.sh" install\n'),
    }


def _collecting(kind: str, entry: str, collection: SlurmCollection) -> dict[str, str]:
    """Return the files that a bundle with metrics collection adds or replaces.

    Lines are added to the entry script, and the prolog and epilog of Slurm are replaced. The bundle of a
    cluster without metrics does not change, because a changed bundle replaces its nodes.
    """
    assert _INSTALL in entry
    sourced = "# shellcheck source=/dev/null"
    lines = (
        *(sourced, 'source "$here/metrics-library.sh"'),
        *(sourced, 'source "$here/metrics-settings.env"'),
        'step install_collection "$here"',
    )
    around = (
        {} if kind in KUBERNETES else {name: _read(f"slurm/{_with_metrics(name)}") for name in _AROUND_JOBS}
    )
    return {
        **around,
        **collection.files,
        ENTRIES[kind]: entry.replace(_INSTALL, _INSTALL + "".join(f"{line}\n" for line in lines)),
        "metrics.sh": _read("metrics/metrics.sh"),
        "metrics-library.sh": _joined("metrics", _METRICS_PARTS),
        "metrics-settings.env": _text(collection.settings),
    }


def with_people(bundle: NodeScriptsPlan, people: NodePeople) -> NodeScriptsPlan:
    """Return the bundle with user accounts; the user list itself is not part of the bundle."""
    lines = (
        *("# shellcheck source=/dev/null", 'source "$here/access-library.sh"'),
        *("# shellcheck source=/dev/null", 'source "$here/access-settings.env"'),
        'step install_access "$here"',
    )
    entry = bundle.files[bundle.entry]
    assert _INSTALL in entry
    files = {
        **bundle.files,
        **people.files,
        bundle.entry: entry.replace(_INSTALL, _INSTALL + "".join(f"{line}\n" for line in lines)),
        "access.sh": _read("access/access.sh"),
        "access-library.sh": _joined("access", _ACCESS_PARTS),
        "access-settings.env": _text(people.settings),
    }
    parameters = {*bundle.parameters, *([people.parameter] if people.parameter else ())}
    return replace(
        bundle,
        files=files,
        content_hash=fingerprint(files, 16),
        parameters=tuple(sorted(parameters)),
        people=people,
    )


def _with_metrics(name: str) -> str:
    return name.replace(".sh", "_metrics.sh")


def with_user_script(bundle: NodeScriptsPlan, text: str) -> NodeScriptsPlan:
    """Return the bundle with the user's own script."""
    files = {**bundle.files, USER_SCRIPT: text}
    return replace(bundle, files=files, content_hash=fingerprint(files, 16))


def with_registry(bundle: NodeScriptsPlan) -> NodeScriptsPlan:
    """Return the bundle of Slurm nodes that pull images from the account's ECR registry.

    A cluster without `images` keeps its bundle unchanged, because a changed bundle replaces its nodes.
    """
    entry = bundle.files[bundle.entry]
    assert _PYXIS in entry
    lines = ("# shellcheck source=/dev/null", f'source "$here/{REGISTRY}"', "step configure_registry")
    files = {
        **bundle.files,
        bundle.entry: entry.replace(_PYXIS, _PYXIS + "".join(f"{line}\n" for line in lines)),
        REGISTRY: "#!/usr/bin/env bash\n" + _read("images/registry.sh").removeprefix(_SHELL),
    }
    return replace(bundle, files=files, content_hash=fingerprint(files, 16))


def package_of(kind: str, file_systems: Iterable[SharedLustre]) -> str | None:
    """Return the package with the tools of the Lustre network (LNet); None if nodes do not need it.

    EKS AMIs do not include the package, and the EKS guide installs it
    (https://docs.aws.amazon.com/eks/latest/userguide/fsx-csi-tuning-efa.html). The AMI's package repository
    in S3, which is locked to the AMI's release, contains the package. Nodes need the package only with EKS
    and a file system that uses EFA.
    """
    return "lustre-client" if kind == "eks" and any(fs.efa for fs in file_systems) else None


def fetch_script() -> str:
    """Return the text of the script that downloads a bundle."""
    return _read(FETCH)


@cache
def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _library() -> str:
    return _joined("lib", _PARTS)


@cache
def _joined(folder: str, names: tuple[str, ...]) -> str:
    parts = (_read(f"{folder}/{name}.sh") for name in names)
    return "#!/usr/bin/env bash\n" + "\n".join(
        part.removeprefix("# shellcheck shell=bash\n") for part in parts
    )


def _file_systems(kind: str, file_systems: Sequence[SharedLustre], home: SharedHome | None) -> dict[str, str]:
    """Return one line of settings for each file system; spaces separate the fields, `-` is an empty field."""
    lines = []
    for fs in file_systems:
        mounter = mounted_by(kind, fs.name)
        named = (fs.dns_name_parameter, fs.mount_name_parameter) if mounter == "script" else ()
        transport = "efa" if fs.efa else "tcp"
        fields = (fs.name, fs.version, transport, fs.mount_path, mounter, *(named or ("-", "-")))
        lines.append(" ".join(value or "-" for value in fields))
    # all file systems of a cluster have the same options: noatime only if no file system releases files
    noatime = bool(file_systems) and all(fs.noatime for fs in file_systems)
    mounter = mounted_by(kind)
    return {
        "LUSTRE_FILE_SYSTEMS": "\n".join(lines),
        "LUSTRE_MOUNT_OPTIONS": ("noatime" if noatime else "relatime") + ",flock",
        "LUSTRE_STRIPED_PATHS": "\n".join(
            f"{path} {fs.mount_path}" for fs in file_systems for path in fs.striped
        ),
        "HOME_FILE_SYSTEM": _home(home, mounter) if home else "",
        "HOME_MOUNT_OPTIONS": ",".join(home.options) if home else "",
    }


def _home(home: SharedHome, mounter: str) -> str:
    named = home.dns_name_parameter if mounter == "script" else None
    return "" if mounter == "csi" else f"{home.mount_path} {mounter} {named or '-'}"


def _lustre_facts(groups: Sequence[GroupPlan], gds: Sequence[str]) -> dict[str, str]:
    interfaces = {
        group.instance_type.name: lustre_connections(group) for group in groups if group.efa_per_node
    }
    facts = lustre_clients()
    return {
        "LUSTRE_EFA_INTERFACES": " ".join(f"{name}={count}" for name, count in sorted(interfaces.items())),
        "LUSTRE_GDS_TYPES": " ".join(gds),
        "LUSTRE_TUNING": "\n".join(
            f"{row.measure} {row.above} {row.kind} {row.name} {row.value}" for row in facts.tunings
        ),
        "LUSTRE_KERNELS": "\n".join(map(_kernel, facts.kernels)),
    }


def _machine_facts(groups: Sequence[GroupPlan]) -> dict[str, str]:
    """Return the GPUs and EFA devices that each instance type must have, as `TYPE=COUNT` lists."""
    types = {group.instance_type.name: group.instance_type for group in groups if group.instance_type.gpu}
    # groups of one type may have different layouts, so the minimum is checked; AWS does not document how
    # HyperPod configures the network cards of UltraServer instances
    devices: dict[str, int] = {}
    for group in groups:
        is_known = group.layout is not None or not group.instance_type.ultraserver_only
        if is_known and group.efa_per_node and group.instance_type.gpu:
            name = group.instance_type.name
            devices[name] = min(devices.get(name, group.efa_per_node), group.efa_per_node)
    return {
        "GPU_COUNTS": " ".join(f"{name}={row.gpu.count}" for name, row in sorted(types.items()) if row.gpu),
        "NVLINK_TYPES": " ".join(name for name, row in sorted(types.items()) if row.nvlink_domain_gpus > 1),
        "EFA_DEVICES_WANTED": " ".join(f"{name}={count}" for name, count in sorted(devices.items())),
    }


def _kernel(row: KernelRow) -> str:
    bounds = (row.from_kernel or "-", row.until_kernel or "-")
    return " ".join((row.os, row.version, row.series, *bounds, row.client, ",".join(row.file_systems)))


def _text(values: Mapping[str, str]) -> str:
    return "".join(f"{name}={_quoted(value)}\n" for name, value in values.items())


def _quoted(value: str) -> str:
    # always in single quotes; a quote in the value must not end the string
    return "'" + value.replace("'", "'\"'\"'") + "'"
