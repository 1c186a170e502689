"""Rules for names and mount paths of file systems."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from config.design.model import Design
from config.design.storage.lustre import MAIN, name_of
from config.diagnostics import Path
from config.profile.source.fault_messages import shown
from config.rules.parts import is_plain_path
from config.rules.registry import ERROR, Finding, rule

_TAKEN = (
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/mnt/k8s-disks", "/opt/amazon", "/opt/aws", "/opt/dlami",
    "/opt/sagemaker", "/opt/slurm", "/opt/ultracluster", "/proc", "/root", "/run", "/sbin", "/sys", "/tmp", "/usr",
    "/var",
)  # fmt: skip
_OTHERS = ("home", "express")
"""Names that parameters and ids use for shared storage other than Lustre."""

_GROUPS = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html"


def _mounts(design: Design) -> Iterator[tuple[Path, str, str]]:
    """Yield the profile path, the name and the mount path of each mount in the profile."""
    for at, lustre in design.placed_lustre:
        yield (*at, "mount_path"), f"the file system {name_of(lustre)}", lustre.mount_path
    home = design.profile.storage.home if design.profile.storage else None
    if home:
        yield ("storage", "home", "mount_path"), "home directories", home.mount_path


@rule(
    "LUS007", ERROR, "mount paths are plain absolute paths that do not hide a node's own files",
    why="HyperPod rejects paths with a trailing or double slash. A mount hides the files that are below the mount path on the "
    "node: system directories, /opt/sagemaker (the EBS volume) and /opt/dlami/nvme (the instance store).",
    source="https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterFsxLustreConfig.html", reads="storage",
)  # fmt: skip
def mount_path_is_plain(design: Design) -> Iterator[Finding]:
    """Check each `mount_path`."""
    for at, what, path in _mounts(design):
        home, taken = what == "home directories", _hidden_by(path)
        if is_plain_path(path) and not taken and (home or not _over_each_other(path, "/home")):
            continue
        use = "/home" if home else _free_path(design)
        if not is_plain_path(path):
            yield Finding(
                at=at,
                message=f"{path!r} is not a plain absolute path",
                hint=f"set `mount_path` to a path such as {use}",
            )
        elif not home and _over_each_other(path, "/home"):
            yield Finding(
                at=at,
                message=f"{path} would hide /home, which contains users' files and SSH keys",
                hint=f"set `mount_path` to a path such as {use}; for shared home directories, set `storage.home`",
            )
        else:
            yield Finding(
                at=at,
                message=f"a file system mounted at {path} would hide {taken} on the nodes",
                hint=f"set `mount_path` to a path such as {use}",
            )


@lru_cache(maxsize=1024)
def _hidden_by(mount_path: str) -> str | None:
    mount = f"{mount_path}/"
    return next((p for p in _TAKEN if mount.startswith(f"{p}/") or f"{p}/".startswith(mount)), None)


@rule(
    "LUS034", ERROR, "checkpoint paths are plain absolute paths in their file system",
    why="Scripts on the nodes create and stripe checkpoint directories as root. A path that is not plain could be outside the "
    "file system.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/performance.html", reads="storage",
    where="checkpoint-paths",
)  # fmt: skip
def checkpoint_paths_are_plain(design: Design) -> Iterator[Finding]:
    """Check each entry of `checkpoint_paths`."""
    for at, lustre in design.placed_lustre:
        for i, path in enumerate(lustre.checkpoint_paths):
            if path != "/" and not is_plain_path(path.removesuffix("/")):
                yield Finding(
                    at=(*at, "checkpoint_paths", i),
                    message=f"{shown(path)} is not a plain absolute path",
                    hint="set the path from the root of the file system, such as /checkpoints",
                )


@rule(
    "LUS023", ERROR, "each file system has its own name and mount path",
    why="Names are part of resource ids. If one mount path is inside another, one mount hides the other.",
    source=_GROUPS, reads="storage data",
    where="several-mounts data",
)  # fmt: skip
def mounts_do_not_overlap(design: Design) -> Iterator[Finding]:
    """Check names and mount paths, including those of the data profile."""
    seen_names = [MAIN]
    for at, lustre in design.placed_lustre:
        name = name_of(lustre)
        main = at == ("storage", "lustre")
        if main and lustre.name not in (None, MAIN):
            yield Finding(
                at=(*at, "name"),
                message=f"`name: {lustre.name}` has no effect: the file system in `lustre` always has the name {MAIN}",
                hint="set `name: null`, or declare the file system in `additional_lustre`",
            )
        elif not main and name in _OTHERS:
            yield Finding(
                at=(*at, "name"),
                message=f"the name {name} is reserved for other shared storage",
                hint=f"set another `name`, such as {_free_name(design)}",
            )
        elif not main and (taken := _alike(name, seen_names)):
            message = (
                "a file system in `additional_lustre` has no `name`"
                if lustre.name is None
                else f"the name {name} is already used"
            )
            if taken != name:
                message = f"the names {name} and {taken} differ only in hyphens, so their stack outputs would have the same name"
            yield Finding(
                at=at if lustre.name is None else (*at, "name"),
                message=message,
                hint=f"set a unique `name`, such as {_free_name(design)}",
            )
        seen_names.append(name)
    yield from _nested(design)


def _alike(name: str, others: list[str]) -> str | None:
    """Return the name in `others` that would have the same stack output; None if there is no such name."""
    word = name.replace("-", "")
    return next((other for other in others if other.replace("-", "") == word), None)


def _nested(design: Design) -> Iterator[Finding]:
    own = list(_mounts(design))
    declared = {f"the file system {name_of(lustre)}" for _, lustre in design.placed_lustre}
    theirs = [
        (f"the file system {system.name}", system.mount_path)
        for system in design.file_systems
        if f"the file system {system.name}" not in declared
    ]
    if design.home and not design.owns_home:
        theirs.append(("home directories", design.home.mount_path))
    seen = [(f"{what} of the data profile", path) for what, path in theirs]
    for at, what, path in own:
        clash = next((one for one in seen if _over_each_other(path, one[1])), None)
        if clash:
            yield Finding(
                at=at,
                message=f"the mount path {path} overlaps with {clash[1]}, the mount path of {clash[0]}",
                hint=f"set `mount_path` to another path, such as {_free_path(design)}",
            )
        seen.append((what, path))


_WORDS = ("fsx", "scratch", "data", "archive", "shared", "more", "work", "results", "cold")
"""Names for hints. The list has one name more than a profile can have file systems, so one is always free."""


def _free_path(design: Design) -> str:
    """Return a path that is not a mount path yet."""
    taken = [path for _, _, path in _mounts(design)]
    taken += [system.mount_path for system in design.file_systems]
    free = (f"/{word}" for word in _WORDS)
    apart = (path for path in free if not any(_over_each_other(path, other) for other in taken))
    return next(apart, "/mnt/fsx")


def _free_name(design: Design) -> str:
    """Return a name that is not in use yet."""
    taken = {name_of(lustre) for _, lustre in design.placed_lustre}
    return next((word for word in _WORDS[1:] if word not in taken), "another")


def _over_each_other(one: str, other: str) -> bool:
    return f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")
