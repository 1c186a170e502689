"""The files that nodes run, under one content hash: one library, and an entry for each control plane."""

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
"""The parts of the library, `log` first: the others use its names when they are read."""

_METRICS_PARTS = (
    "efa_counters", "kernel_xids", "attribution", "downloads", "identity", "exporters", "dcgm",
    "agent", "install",
)  # fmt: skip
"""The parts of what collects metrics, in a library of its own."""

_ACCESS_PARTS = ("people", "accounts", "directory", "install")
"""The parts of what keeps accounts of people, in a library of its own."""
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
"""The file that runs first, by control plane."""

_AROUND_JOBS = ("prolog.sh", "epilog.sh")
"""What Slurm runs before and after a job, on each of its nodes."""

USER_SCRIPT = "user_script.sh"
"""The file that holds the user's own script; the entry runs it last where it is there."""

REGISTRY = "registry.sh"
"""The file that lets enroot sign in to ECR."""

FETCH = "fetch.sh"
"""The file that gets the bundle, where a service does not do so itself; it takes URI, Region and entry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeScriptsPlan:
    """The bundle by file name, the file that runs first, and the hash that its prefix carries.

    HyperPod fetches a prefix, not a version: a changed script under the same prefix changes nothing, so the
    prefix names the content. `parameters` are the SSM parameters that the scripts read; `collection` is what
    nodes do for metrics, `people` what they do for people.
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
    """The bundle of a cluster; `gds_types` are the types whose GPUs read from Lustre directly.

    `repaired`: the service reboots or replaces a node when Slurm says that it failed, as HyperPod does.
    `policy` says for which faults; None: that of a profile that says nothing.
    `collection`: what nodes do for metrics. `spares`: nodes that Slurm keeps free, by partition. `calendar`:
    until when Slurm's nodes take jobs. The bundle has nothing of one that is not given.
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
    """What a bundle has beside and instead where nodes are kept spare."""
    entry = files[ENTRIES[kind]]
    assert _INSTALL in entry
    lines = "".join(f"{partition} {count}\n" for partition, count in spares.items())
    return {
        "spares.sh": _read("slurm/spares.sh"),
        "settings.env": files["settings.env"] + _text({"SPARE_NODES": lines.rstrip("\n")}),
        ENTRIES[kind]: entry.replace(_INSTALL, f'{_INSTALL}step bash "$here/spares.sh" install\n'),
    }


def _collecting(kind: str, entry: str, collection: SlurmCollection) -> dict[str, str]:
    """What a bundle has beside and instead where its nodes collect metrics.

    The entry has some lines more, and around jobs other files run: a cluster that collects nothing keeps
    the bundle that it has, since another one replaces its nodes.
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
    """The bundle of a cluster whose nodes have accounts of people; the list itself is in none."""
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
    """The bundle with a script of the user's own, under a hash that names it too."""
    files = {**bundle.files, USER_SCRIPT: text}
    return replace(bundle, files=files, content_hash=fingerprint(files, 16))


def with_registry(bundle: NodeScriptsPlan) -> NodeScriptsPlan:
    """The bundle of nodes under Slurm that pull images of the account's registry, under a hash of its own.

    A cluster without images keeps the bundle that it has, since another one replaces its nodes.
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
    """The one package that nodes install, by name: the EKS images come without the tools of Lustre's network.

    It is what EKS's own guide installs
    (https://docs.aws.amazon.com/eks/latest/userguide/fsx-csi-tuning-efa.html), from the package source of the
    image, which lies in S3 and is locked to the image's release.
    """
    return "lustre-client" if kind == "eks" and any(fs.efa for fs in file_systems) else None


def fetch_script() -> str:
    """The text of the file that gets a bundle."""
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
    """One line for each file system, in words without blanks; `-` where there is no parameter to read."""
    lines = []
    for fs in file_systems:
        mounter = mounted_by(kind, fs.name)
        named = (fs.dns_name_parameter, fs.mount_name_parameter) if mounter == "script" else ()
        transport = "efa" if fs.efa else "tcp"
        words = (fs.name, fs.version, transport, fs.mount_path, mounter, *(named or ("-", "-")))
        lines.append(" ".join(word or "-" for word in words))
    # one way for all file systems of a cluster: noatime only where none of them releases files
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
    """What each type of machine must have, as a table of TYPE=COUNT."""
    types = {group.instance_type.name: group.instance_type for group in groups if group.instance_type.gpu}
    # groups of one type may have different layouts: no node has less than the least; how HyperPod lays
    # out the cards of an UltraServer's machines is told nowhere
    devices: dict[str, int] = {}
    for group in groups:
        told = group.layout is not None or not group.instance_type.ultraserver_only
        if told and group.efa_per_node and group.instance_type.gpu:
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
    # always between quotes, so that one form is read; a quote within cannot end them
    return "'" + value.replace("'", "'\"'\"'") + "'"
