"""`extends`: one profile laid over another, with the place that each value came from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from config.diagnostics import Code, Diagnostic, Path, format_path


@dataclass(frozen=True, slots=True)
class Place:
    """Where a key stands: the file as messages name it, and its line (1-based)."""

    file: str
    line: int


@dataclass(slots=True)
class Layered:
    """The data of a profile with all that it extends, and where each of its keys stands."""

    data: dict[str, Any] = field(default_factory=dict)
    places: dict[Path, Place] = field(default_factory=dict)

    def place(self, path: Path) -> Place | None:
        """Where a key stands; for one that no file states, the nearest key above it."""
        for length in range(len(path), -1, -1):
            found = self.places.get(path[:length])
            if found:
                return found
        return None

    def diagnose(self, code: Code, at: Path, message: str, hint: str) -> Diagnostic:
        """A finding at a place of the user's keys, with the file and line where that key stands."""
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
    """`top` over `base`: mappings merge key by key, lists and plain values replace, `null` takes away.

    A mapping whose `kind` differs replaces the one below it: the keys of another kind mean nothing to it.
    A zone by name replaces the one by id below it, and the other way round: they state one thing.
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
    """The same data with only these items of the list at a place, each still known by its own lines."""
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
    """The same data without these keys of its mappings."""
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
