"""Merge of profiles for `extends`, with the location of each value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from config.diagnostics import Code, Diagnostic, Path, format_path


@dataclass(frozen=True, slots=True)
class Place:
    """Location of a key: the file name in messages, and the line (1-based)."""

    file: str
    line: int


@dataclass(slots=True)
class Layered:
    """The data of a profile and its base profiles, with the location of each key."""

    data: dict[str, Any] = field(default_factory=dict)
    places: dict[Path, Place] = field(default_factory=dict)

    def place(self, path: Path) -> Place | None:
        """Return the location of a key; if no file contains the key, the location of its parent."""
        for length in range(len(path), -1, -1):
            found = self.places.get(path[:length])
            if found:
                return found
        return None

    def diagnose(self, code: Code, at: Path, message: str, hint: str) -> Diagnostic:
        """Return a diagnostic for a key, with the file and line of that key."""
        place = self.place(at)
        return Diagnostic(
            code=code.code,
            severity=code.severity,
            path=format_path(at),
            message=message,
            hint=hint,
            source=code.source,
            file=place.file if place else None,
            line=place.line if place else None,
        )


_ZONE_KEYS = ("availability_zone", "availability_zone_id")


def lay_over(base: Layered, top: Layered) -> Layered:
    """Merge `top` into `base`: mappings merge by key, lists and values replace, `null` removes.

    A mapping with a different `kind` replaces the base's mapping, because its keys are different. A zone name
    replaces the base's zone ID, and a zone ID replaces the base's zone name, because a profile sets only one
    of them.
    """
    places = dict(base.places)
    below = dict(base.data)
    for key, twin in (_ZONE_KEYS, _ZONE_KEYS[::-1]):
        if top.data.get(key) is not None and twin not in top.data:
            below.pop(twin, None)
            places.pop((twin,), None)
    data = _merge(below, top.data, (), places)
    places.update(top.places)
    return Layered(data=data, places=places)


def without_items(layered: Layered, at: Path, kept: list[int]) -> Layered:
    """Return the data, where the list at `at` has only the items `kept`. Locations have the new indexes."""
    data = dict(layered.data)
    here = data
    for step in at[:-1]:
        here[str(step)] = dict(here[str(step)])
        here = here[str(step)]
    here[str(at[-1])] = [here[str(at[-1])][i] for i in kept]
    moved = {old: new for new, old in enumerate(kept)}
    places: dict[Path, Place] = {}
    for path, place in layered.places.items():
        if path[: len(at)] != at or len(path) == len(at):
            places[path] = place
        elif path[len(at)] in moved:
            places[(*at, moved[int(path[len(at)])], *path[len(at) + 1 :])] = place
    return Layered(data=data, places=places)


def without_keys(layered: Layered, paths: Iterable[Path]) -> Layered:
    """Return the data without the keys at these paths."""
    data: dict[str, Any] = layered.data
    for path in paths:
        data = _without(data, path)
    return Layered(data=data, places=layered.places)


def _without(here: Any, path: Path) -> Any:
    step, *rest = path
    if isinstance(here, list):
        return [_without(item, tuple(rest)) if i == step and rest else item for i, item in enumerate(here)]
    if not isinstance(here, dict) or step not in here:
        return here
    if not rest:
        return {key: value for key, value in here.items() if key != step}
    return {**here, step: _without(here[str(step)], tuple(rest))}


def _merge(
    base: dict[str, Any], top: dict[str, Any], path: Path, places: dict[Path, Place]
) -> dict[str, Any]:
    merged = dict(base)
    for key, value in top.items():
        below = base.get(key)
        at = (*path, key)
        if isinstance(value, dict) and isinstance(below, dict) and _same_kind(below, value):
            merged[key] = _merge(below, value, at, places)
            continue
        if key in base:
            for known in [known for known in places if known[: len(at)] == at]:
                del places[known]
        merged[key] = value
    return merged


def _same_kind(below: dict[str, Any], above: dict[str, Any]) -> bool:
    return "kind" not in above or below.get("kind") == above["kind"]
