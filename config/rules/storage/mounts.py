"""Where nodes mount file systems, and what those are called."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from config.design.model import Design
from config.design.storage.lustre import MAIN, name_of
from config.diagnostics import Path
from config.profile.source.fault_words import shown
from config.rules.parts import is_plain_path
from config.rules.registry import ERROR, Finding, rule

_TAKEN = (
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/mnt/k8s-disks", "/opt/amazon", "/opt/aws", "/opt/dlami",
    "/opt/sagemaker", "/opt/slurm", "/opt/ultracluster", "/proc", "/root", "/run", "/sbin", "/sys", "/tmp", "/usr",
    "/var",
)  # fmt: skip
_OTHERS = ("home", "express")
"""What nodes share beside Lustre file systems: parameters and ids are named so."""

_GROUPS = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html"


def _mounts(design: Design) -> Iterator[tuple[Path, str, str]]:
    """Every mount that the profile states: where, its name and its path."""
    for at, lustre in design.placed_lustre:
        yield (*at, "mount_path"), f"the file system {name_of(lustre)}", lustre.mount_path
    home = design.profile.storage.home if design.profile.storage else None
    if home:
        yield ("storage", "home", "mount_path"), "home directories", home.mount_path


@rule(
    "LUS007", ERROR, "a file system is mounted at a plain absolute path",
    why="HyperPod refuses a path with a trailing or double slash, scripts on the nodes read it, and what lies below a "
    "mount is hidden: the system's folders, /opt/sagemaker (the EBS volume) and /opt/dlami/nvme (the local disks).",
    source="https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterFsxLustreConfig.html", reads="storage",
)  # fmt: skip
def mount_path_is_plain(design: Design) -> Iterator[Finding]:
    """The form of mount_path."""
    for at, what, path in _mounts(design):
        home, taken = what == "home directories", _hidden_by(path)
        if is_plain_path(path) and not taken and (home or not _over_each_other(path, "/home")):
            continue
        use = "/home" if home else _free_path(design)
        if not is_plain_path(path):
            yield Finding(
                at=at, message=f"{path!r} is not a plain absolute path", hint=f"write a path such as {use}"
            )
        elif not home and _over_each_other(path, "/home"):
            yield Finding(
                at=at,
                message=f"{path} lies over /home, where users and their keys are",
                hint=f"write a path such as {use}; home directories of all nodes are `storage.home`",
            )
        else:
            yield Finding(
                at=at,
                message=f"{path} is a node's own: a file system mounted there hides {taken}",
                hint=f"write a path such as {use}",
            )


@lru_cache(maxsize=1024)
def _hidden_by(mount_path: str) -> str | None:
    mount = f"{mount_path}/"
    return next((p for p in _TAKEN if mount.startswith(f"{p}/") or f"{p}/".startswith(mount)), None)


@rule(
    "LUS034", ERROR, "directories of checkpoints are plain absolute paths in their file system",
    why="Scripts on the nodes make and stripe them as root: anything but a plain path would lead elsewhere.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/performance.html", reads="storage",
    where="checkpoint-paths",
)  # fmt: skip
def checkpoint_paths_are_plain(design: Design) -> Iterator[Finding]:
    """The form of checkpoint_paths."""
    for at, lustre in design.placed_lustre:
        for i, path in enumerate(lustre.checkpoint_paths):
            if path != "/" and not is_plain_path(path.removesuffix("/")):
                yield Finding(
                    at=(*at, "checkpoint_paths", i),
                    message=f"{shown(path)} is not a plain absolute path",
                    hint="write a path from the file system's root, such as /checkpoints",
                )


@rule(
    "LUS023", ERROR, "each file system has a name and a mount path of its own",
    why="Names are part of ids, and what is mounted below another mount, or over it, is hidden.",
    source=_GROUPS, reads="storage data",
    where="several-mounts data",
)  # fmt: skip
def mounts_are_apart(design: Design) -> Iterator[Finding]:
    """Names, and nesting of mounts, with those of the data profile."""
    seen_names = [MAIN]
    for at, lustre in design.placed_lustre:
        name = name_of(lustre)
        main = at == ("storage", "lustre")
        if main and lustre.name not in (None, MAIN):
            yield Finding(
                at=(*at, "name"),
                message=f"{lustre.name} names the file system under `lustre`, whose name is {MAIN}",
                hint="write `name: null`, or state it under `additional_lustre`",
            )
        elif not main and name in _OTHERS:
            yield Finding(
                at=(*at, "name"),
                message=f"{name} names something else that nodes share",
                hint=f"give it another `name`, such as {_free_name(design)}",
            )
        elif not main and (taken := _alike(name, seen_names)):
            told = "no name" if lustre.name is None else f"the name {name} is taken"
            if taken != name:
                told = f"{name} and {taken} differ in hyphens alone, which the stack's outputs have not"
            yield Finding(
                at=at if lustre.name is None else (*at, "name"),
                message=f"{told}, of a file system among several",
                hint=f"give it a `name` of its own, such as {_free_name(design)}",
            )
        seen_names.append(name)
    yield from _nested(design)


def _alike(name: str, others: list[str]) -> str | None:
    """A name of others that an output of the stack would share."""
    word = name.replace("-", "")
    return next((other for other in others if other.replace("-", "") == word), None)


def _nested(design: Design) -> Iterator[Finding]:
    own = list(_mounts(design))
    stated = {f"the file system {name_of(lustre)}" for _, lustre in design.placed_lustre}
    theirs = [
        (f"the file system {system.name}", system.mount_path)
        for system in design.file_systems
        if f"the file system {system.name}" not in stated
    ]
    if design.home and not design.owns_home:
        theirs.append(("home directories", design.home.mount_path))
    seen = [(f"{what} of the data profile", path) for what, path in theirs]
    for at, what, path in own:
        clash = next((one for one in seen if _over_each_other(path, one[1])), None)
        if clash:
            yield Finding(
                at=at,
                message=f"{path} and {clash[1]} of {clash[0]} lie over each other",
                hint=f"write a path beside it, such as {_free_path(design)}",
            )
        seen.append((what, path))


_WORDS = ("fsx", "scratch", "data", "archive", "shared", "more", "work", "results", "cold")
"""Names to offer: as many as a cluster can have file systems, and one."""


def _free_path(design: Design) -> str:
    """A path where nothing is mounted yet."""
    taken = [path for _, _, path in _mounts(design)]
    taken += [system.mount_path for system in design.file_systems]
    free = (f"/{word}" for word in _WORDS)
    apart = (path for path in free if not any(_over_each_other(path, other) for other in taken))
    return next(apart, "/mnt/fsx")


def _free_name(design: Design) -> str:
    """A name that no file system has yet."""
    taken = {name_of(lustre) for _, lustre in design.placed_lustre}
    return next((word for word in _WORDS[1:] if word not in taken), "another")


def _over_each_other(one: str, other: str) -> bool:
    return f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")
