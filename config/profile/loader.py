"""From what the user typed to a typed profile, with every fault found on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from config.diagnostics import Code, Diagnostic, Severity, format_path
from config.profile import codes
from config.profile.merge import Layered, Place, lay_over
from config.profile.model import Profile
from config.profile.orchestrator import AVAILABLE, ORCHESTRATORS
from config.profile.reference import Reference, built_in_names, find, nearest
from config.profile.shape import check_shape
from config.profile.yaml_source import read_yaml

_MAX_EXTENDS = 16

UNAVAILABLE = Code(
    code="ORC001",
    severity=Severity.ERROR,
    holds="the control plane is one that this version builds",
    why="The contract names four control planes; this version builds " + ", ".join(AVAILABLE) + ".",
    source="docs/profile.md",
)


@dataclass(slots=True)
class Loaded:
    """A profile as far as it could be read: `profile` is None when its shape is wrong."""

    given: str
    reference: Reference | None = None
    profile: Profile | None = None
    layered: Layered = field(default_factory=Layered)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    refused_orchestrator: str | None = None

    @property
    def usable(self) -> bool:
        """False when no file was found or read: there is nothing to diagnose."""
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
    ) -> None:
        """Note a fault at a place of the profile, or at a line of a file."""
        place = self.layered.place(path) if file is None else None
        self.diagnostics.append(
            Diagnostic(
                code=code.code, severity=code.severity, path=format_path(path), message=message, hint=hint,
                source=code.source, file=place.file if place else file, line=place.line if place else line,
            )
        )  # fmt: skip


def load(given: str | None, *, orchestrator: str | None = None, base: Path | None = None) -> Loaded:
    """Read a profile by built-in name or path (relative to `base`, default: the current folder).

    `orchestrator` replaces the profile's control plane. Never raises for what a user can get wrong.
    """
    loaded = Loaded(given=given or "")
    reference = _find(given, base or Path.cwd(), loaded)
    if reference is None:
        return loaded
    loaded.reference = reference
    layers = _layers(reference, loaded)
    if layers is None:
        return loaded
    for layer in reversed(layers):
        loaded.layered = lay_over(loaded.layered, layer)
    _choose_orchestrator(orchestrator, loaded)
    profile, faults = check_shape(loaded.layered)
    loaded.diagnostics += faults
    loaded.profile = profile
    return loaded


def _find(given: str | None, base: Path, loaded: Loaded) -> Reference | None:
    names = ", ".join(built_in_names())
    if not given:
        loaded.report(
            codes.NOT_NAMED,
            "no profile is named",
            f"add `--context profile=NAME`; NAME is one of {names}, or a YAML file",
        )
        return None
    reference = find(given, base)
    if reference is None:
        close = nearest(given, built_in_names())
        start = f"did you mean {' or '.join(close)}? " if close else ""
        what = (
            "no such file"
            if given.endswith((".yaml", ".yml")) or "/" in given
            else "no built-in profile has this name"
        )
        loaded.report(
            codes.UNKNOWN,
            f"unknown profile {given!r}: {what}",
            f"{start}built-in: {names}; or give the path of a YAML file",
        )
    return reference


def _layers(reference: Reference, loaded: Loaded) -> list[Layered] | None:
    """The profile and all that it extends, the profile itself first."""
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
    shown = reference.shown
    try:
        text = reference.file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        loaded.report(
            codes.UNREADABLE, f"{shown} cannot be read: {reason}", "give a readable YAML file", file=shown
        )
        return None
    document = read_yaml(text)
    for problem in document.problems:
        hint = "mend the YAML at this line; indentation is spaces, and a key ends with a colon and a space"
        loaded.report(codes.NOT_YAML, problem.message, hint, problem.path, file=shown, line=problem.line)
    if document.problems and document.data is None:
        return None
    if not isinstance(document.data, dict):
        what = (
            "is empty"
            if document.data is None
            else f"holds {type(document.data).__name__}, not keys and values"
        )
        loaded.report(
            codes.NOT_A_MAPPING,
            f"{shown} {what}",
            "start with `extends: p6-b200` and `name: my-cluster`",
            file=shown,
            line=1,
        )
        return None
    return Layered(document.data, {path: Place(shown, line) for path, line in document.lines.items()})


def _extended(layer: Layered, current: Reference, seen: list[Path], loaded: Loaded) -> Reference | None:
    if "extends" not in layer.data:
        return None
    place = layer.places[("extends",)]
    wanted = layer.data.pop("extends")
    del layer.places[("extends",)]
    base = find(wanted, current.file.parent) if isinstance(wanted, str) else None
    if base is not None and (base.file in seen or len(seen) > _MAX_EXTENDS):
        message, hint = (
            f"`extends: {wanted}` comes back to a profile that extends this one",
            "take one `extends` out",
        )
    elif base is not None:
        if not base.built_in:
            base = Reference(_beside(current.given, wanted), base.file, built_in=False)
        return base
    else:
        close = nearest(str(wanted), built_in_names())
        message = (
            f"`extends` names {wanted!r}, which is neither a built-in profile nor a file beside this one"
        )
        hint = f"did you mean {' or '.join(close)}?" if close else f"built-in: {', '.join(built_in_names())}"
    loaded.report(codes.EXTENDS, message, hint, ("extends",), file=place.file, line=place.line)
    return None


def _beside(given: str, wanted: str) -> str:
    return wanted if Path(wanted).is_absolute() else str(Path(given).parent / wanted)


def _choose_orchestrator(wanted: str | None, loaded: Loaded) -> None:
    """Put the control plane that the command line asks for in place; take out one that is not built yet."""
    data = loaded.layered.data
    if wanted:
        if wanted not in ORCHESTRATORS:
            close = nearest(wanted, list(ORCHESTRATORS), count=1)
            hint = f"did you mean {close[0]}? " if close else ""
            loaded.report(
                codes.NOT_IN_SET,
                f"unknown orchestrator {wanted!r}",
                f"{hint}known: {', '.join(ORCHESTRATORS)}",
                ("orchestrator",),
            )
            return
        stated = data.get("orchestrator")
        if not isinstance(stated, dict) or stated.get("kind") != wanted:
            data["orchestrator"] = {"kind": wanted}
    stated = data.get("orchestrator")
    kind = stated.get("kind") if isinstance(stated, dict) else None
    if kind in ORCHESTRATORS and kind not in AVAILABLE:
        loaded.report(
            UNAVAILABLE, f"{kind} is not built by this version of ultracluster",
            f"use {' or '.join(AVAILABLE)}", ("orchestrator", "kind"),
        )  # fmt: skip
        loaded.refused_orchestrator = kind
        del data["orchestrator"]
