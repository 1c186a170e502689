"""Loader of a profile: from the argument of a command to the typed profile, with all errors."""

from __future__ import annotations

import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from config.catalog import catalog
from config.diagnostics import Code, Diagnostic, format_path
from config.profile.model import Profile
from config.profile.orchestrator import ORCHESTRATORS
from config.profile.source import codes
from config.profile.source.fault_messages import shown
from config.profile.source.keys_of_apis import pcluster_instead
from config.profile.source.merge import Layered, Place, lay_over, without_items
from config.profile.source.reference import Reference, built_in_names, find, is_file, nearest
from config.profile.source.shape import check_shape, stands_alone
from config.profile.source.yaml_source import read_yaml

_MAX_EXTENDS = 16
_MAX_BYTES = 1_000_000

SYSTEM_NODES = 2
"""Number of nodes in an added system group: CoreDNS runs two pods on different nodes."""


@dataclass(slots=True)
class Loaded:
    """A loaded profile; `profile` is None if keys or values are wrong.

    `faulty` names the top-level parts with wrong keys or values. `alone` lists errors that do not affect
    other checks, so `faulty` does not include their parts: unknown keys, and values of Slurm settings.
    `base_missing` is true if the base profile was not found; it may set the missing keys. `files` maps names
    in messages to files.
    """

    argument: str
    reference: Reference | None = None
    profile: Profile | None = None
    layered: Layered = field(default_factory=Layered)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    base_missing: bool = False
    faulty: set[str] = field(default_factory=set)
    alone: list[tuple[str | int, ...]] = field(default_factory=list)
    files: dict[str, Path] = field(default_factory=dict)

    @property
    def usable(self) -> bool:
        """False if a file was not found or could not be read."""
        unusable = {codes.NOT_NAMED.code, codes.UNKNOWN.code, codes.UNREADABLE.code}
        return not any(diagnostic.code in unusable for diagnostic in self.diagnostics)

    def report(
        self,
        code: Code,
        message: str,
        hint: str,
        path: tuple[str | int, ...] = (),
        *,
        file: str | None = None,
        line: int | None = None,
        stands: bool = True,
    ) -> None:
        """Add a diagnostic for a profile key or a line of a file; `stands`: a file contains the key."""
        place = self.layered.place(path) if file is None and stands else None
        self.diagnostics.append(
            Diagnostic(
                code=code.code, severity=code.severity, path=format_path(path), message=message, hint=hint,
                source=code.source, file=place.file if place else file, line=place.line if place else line,
            )
        )  # fmt: skip


def load(argument: str | None, *, orchestrator: str | None = None, base: Path | None = None) -> Loaded:
    """Load a profile by its built-in name or path (relative to `base`, default: the current folder).

    `orchestrator` replaces the profile's control plane. A user's mistake does not raise an error.
    """
    loaded = Loaded(argument=argument or "")
    reference = _find(argument, base or Path.cwd(), loaded)
    if reference is None:
        return loaded
    loaded.reference = reference
    layers = _layers(reference, loaded)
    if layers is None:
        return loaded
    below: object = None
    for layer in reversed(layers):
        below = loaded.layered.data.get("environment")
        loaded.layered = lay_over(loaded.layered, layer)
    merged = loaded.layered.data
    # in another environment, its stack differs from the stack of the base profile
    if "name" not in layers[0].data and "name" in merged and merged.get("environment") == below:
        loaded.report(
            codes.INHERITED_NAME,
            f"the profile and its stack have the same name as the base profile, {shown(loaded.layered.data['name'])}",
            "set another `name`, or set `environment`",
            ("name",),
            file=reference.shown,
        )
    if "description" not in layers[0].data:
        loaded.layered.data.pop("description", None)  # the description of the base does not apply
    _choose_orchestrator(orchestrator, loaded)
    profile, faults = check_shape(loaded.layered)
    loaded.alone = [path for path, fault in faults if stands_alone(path, fault)]
    loaded.faulty = {str(path[0]) for path, _ in faults if path and path not in loaded.alone}
    loaded.diagnostics += [
        fault for _, fault in faults if not loaded.base_missing or fault.code != codes.MISSING_KEY.code
    ]
    loaded.profile = profile
    return loaded


def _find(argument: str | None, base: Path, loaded: Loaded) -> Reference | None:
    names = ", ".join(built_in_names())
    if not argument:
        loaded.report(
            codes.NOT_NAMED,
            "the command does not name a profile",
            f"add `--context profile=NAME` to cdk, or NAME to ultracluster; NAME is {names}, or a YAML file",
        )
        return None
    reference = find(argument, base)
    if reference is None:
        close = nearest(argument, built_in_names())
        if is_file(argument, base):
            loaded.report(
                codes.UNKNOWN,
                f"{shown(argument)} is not a profile, because its name does not end with .yaml or .yml",
                f"name a YAML file or a built-in profile: {names}",
            )
            return None
        start = f"did you mean {' or '.join(close)}? " if close else ""
        what = (
            f"the file does not exist in {base}"
            if argument.endswith((".yaml", ".yml")) or "/" in argument
            else "it is not a built-in profile"
        )
        loaded.report(
            codes.UNKNOWN,
            f"unknown profile {shown(argument)}: {what}",
            f"{start}built-in profiles are {names}; or write the path of a YAML file",
        )
    return reference


def _layers(reference: Reference, loaded: Loaded) -> list[Layered] | None:
    """Return the profile and its base profiles, the profile itself first; None if one is unreadable."""
    layers: list[Layered] = []
    seen: list[Path] = []
    current: Reference | None = reference
    while current is not None:
        seen.append(current.file)
        layer = _read(current, loaded)
        if layer is None:
            return None
        layers.append(layer)
        current = _extended(layer, current, seen, loaded)
    return layers


def _read(reference: Reference, loaded: Loaded) -> Layered | None:
    file = reference.shown
    loaded.files[file] = reference.file
    text, fault = _text(reference.file)
    if fault:
        loaded.report(
            codes.UNREADABLE, f"cannot read {file}: {fault}", "name a readable YAML file", file=file
        )
        return None
    document = read_yaml(text)
    for problem in document.problems:
        loaded.report(
            codes.NOT_YAML, problem.message, problem.hint, problem.path, file=file, line=problem.line
        )
    if document.problems and document.data is None:
        return None
    if not isinstance(document.data, dict):
        held = "a list" if isinstance(document.data, list) else "a single value"
        what = "is empty" if document.data is None else f"contains {held} instead of keys with values"
        loaded.report(
            codes.NOT_A_MAPPING,
            f"{file} {what}",
            "start with `extends: p6-b200` and `name: my-cluster`",
            file=file,
            line=1,
        )
        return None
    return Layered(document.data, {path: Place(file, line) for path, line in document.lines.items()})


def _text(file: Path) -> tuple[str, str | None]:
    """Return the text of a file, or the reason why it cannot be read."""
    try:
        if stat.S_ISFIFO(file.stat().st_mode):
            return "", "it is a pipe, which is read only once"
        with file.open("rb") as opened:
            content = opened.read(_MAX_BYTES + 1)
        if len(content) > _MAX_BYTES:
            return "", f"it is larger than {_MAX_BYTES:,} bytes"
        return content.decode("utf-8-sig"), None
    except UnicodeDecodeError:
        return "", "it is not UTF-8 text"
    except OSError as error:
        return "", (error.strerror or str(error)).lower()


def _extended(layer: Layered, current: Reference, seen: list[Path], loaded: Loaded) -> Reference | None:
    wanted = layer.data.pop("extends", None)
    place = layer.places.pop(("extends",), None)
    if wanted is None or place is None:
        return None
    base = find(wanted, current.file.parent) if isinstance(wanted, str) else None
    loaded.base_missing = True
    if base is not None and base.file in seen:
        message = f"`extends: {wanted}` is a cycle, because that profile extends this one"
        hint = "remove one `extends` of the cycle"
    elif base is not None and len(seen) > _MAX_EXTENDS:
        message = f"more than {_MAX_EXTENDS} profiles extend one another"
        hint = "extend a profile that is closer to the built-in profile"
    elif base is not None:
        loaded.base_missing = False
        if not base.built_in:
            base = Reference(_beside(current.name, wanted), base.file, built_in=False)
        return base
    else:
        close = nearest(wanted, built_in_names()) if isinstance(wanted, str) else []
        message = f"`extends` names {shown(wanted)}, which is neither a built-in profile nor a file"
        start = f"did you mean {' or '.join(close)}? " if close else ""
        hint = (
            f"{start}built-in profiles are {', '.join(built_in_names())}; "
            "or write a path relative to the folder of this file"
        )
    loaded.report(codes.EXTENDS, message, hint, ("extends",), file=place.file, line=place.line)
    return None


def _beside(name: str, wanted: str) -> str:
    return wanted if Path(wanted).is_absolute() else str(Path(name).parent / wanted)


def _choose_orchestrator(wanted: str | None, loaded: Loaded) -> None:
    """Replace the control plane with the one of the command line."""
    data = loaded.layered.data
    if wanted:
        if wanted not in ORCHESTRATORS:
            close = nearest(wanted, list(ORCHESTRATORS), count=1)
            hint = f"did you mean {close[0]}? " if close else ""
            loaded.report(
                codes.NOT_IN_SET,
                f"unknown orchestrator {shown(wanted)}",
                pcluster_instead(wanted) or f"{hint}use one of {', '.join(ORCHESTRATORS)}",
                ("orchestrator",),
                stands=False,
            )
            return
        declared = data.get("orchestrator")
        if not isinstance(declared, dict) or declared.get("kind") != wanted:
            data["orchestrator"] = {"kind": wanted}
            _leave_out_roles(wanted, loaded)


def _leave_out_roles(orchestrator: str, loaded: Loaded) -> None:
    """Remove groups with a role that the new control plane does not support, such as the Slurm controller."""
    compute = loaded.layered.data.get("compute")
    groups = compute.get("groups") if isinstance(compute, dict) else None
    if not isinstance(compute, dict) or not isinstance(groups, list):
        return
    roles = catalog().control_planes[orchestrator].roles
    known = {role for plane in catalog().control_planes.values() for role in plane.roles}
    strangers = known - set(roles)
    kept = [
        i for i, group in enumerate(groups) if not (isinstance(group, dict) and _role(group) in strangers)
    ]
    if len(kept) == len(groups) or not kept:
        return
    left = [_called(group) for i, group in enumerate(groups) if i not in kept]
    loaded.report(
        codes.ROLES_LEFT_OUT,
        f"{orchestrator} does not support the roles of some groups, so ultracluster leaves out these groups: {', '.join(left)}",
        f"{orchestrator} supports the roles {', '.join(roles)}",
        ("compute", "groups"),
    )
    loaded.layered = without_items(loaded.layered, ("compute", "groups"), kept)
    if "system" in roles:
        _add_system_group(orchestrator, [group for i, group in enumerate(groups) if i not in kept], loaded)


def _add_system_group(orchestrator: str, left: list[Any], loaded: Loaded) -> None:
    """Add a system group with the instance type of the removed Slurm controller."""
    groups = loaded.layered.data["compute"]["groups"]
    controller = next((group for group in left if _role(group) == "controller"), None)
    declared = [group for group in groups if isinstance(group, dict)]
    if controller is None or any(_role(group) == "system" for group in declared):
        return
    taken = {group.get("name") for group in declared}
    name = next(
        name for name in ("system", *(f"system-{i}" for i in range(len(declared) + 1))) if name not in taken
    )
    wanted = {key: controller[key] for key in ("instance_type", "zone") if key in controller}
    groups.append({"name": name, "role": "system", "count": SYSTEM_NODES, **wanted})
    loaded.report(
        codes.SYSTEM_ADDED,
        f"group {name} ({SYSTEM_NODES} x {controller.get('instance_type')}) is added for the system pods of {orchestrator}",
        f"to choose the instance type and the count, declare a group with `role: system` in a profile for {orchestrator}",
        ("compute", "groups"),
    )


def _called(group: dict[str, Any]) -> str:
    """Return the name of a group; its role if the name is not a text."""
    name = group.get("name")
    return name if isinstance(name, str) else f"a {_role(group)} group"


def _role(group: dict[str, Any]) -> str | None:
    role = group.get("role")
    return role if isinstance(role, str) else None
