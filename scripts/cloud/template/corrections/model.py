"""The correction of an update's effect, and the change of properties that it is derived from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from scripts.cloud.template.effects import Effect, Topic
from scripts.cloud.template.functions import KNOWN_AFTER_APPLY
from scripts.cloud.template.schema import value_at

Properties: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Correction:
    """The real effect of a property's change, with the reason, the source and a hint."""

    path: tuple[str, ...]
    effect: Effect
    reason: str
    source: str
    hint: str | None = None
    topic: Topic | None = None


@dataclass(frozen=True)
class Change:
    """The properties of a resource before and after."""

    before: Properties
    after: Properties

    def sides(self, *path: str) -> tuple[Any, Any]:
        """Return the value at a path before the change and the value after it."""
        return value_at(self.before, path), value_at(self.after, path)

    def differs(self, *path: str) -> bool:
        """Return whether the change affects the value at a path."""
        was, will = self.sides(*path)
        return bool(was != will)

    def lowered(self, *path: str) -> tuple[float, float] | None:
        """Return the old and the new number if the number at a path decreases, otherwise None."""
        was, will = (_figure(value) for value in self.sides(*path))
        return (was, will) if was is not None and will is not None and will < was else None


Correct: TypeAlias = Callable[[Change], Iterator[Correction]]


def _figure(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def version(text: Any) -> tuple[int, ...] | None:
    """Parse a version (1.35, 25.11) into numbers; None if the text is not a version or not known yet."""
    parts = str(text).split(".")
    known = text is not None and KNOWN_AFTER_APPLY not in str(text)
    return tuple(int(part) for part in parts) if known and all(part.isdigit() for part in parts) else None


def older(change: Change, *path: str) -> bool:
    """Return whether the change lowers the version at a path."""
    was, will = (version(value) for value in change.sides(*path))
    return was is not None and will is not None and will < was
