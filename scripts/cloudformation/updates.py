"""What an update does to a resource: in place, with an interruption, by replacement, or refused.

The provider's schema says what replaces; the corrections say where the service does otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from .corrections import corrected
from .schema import changed_paths, is_create_only


class Effect(StrEnum):
    """What a change does to the resource, the worst last."""

    IN_PLACE = "in place"
    INTERRUPTION = "interruption"
    REFUSED = "refused"
    REPLACEMENT = "replacement"


@dataclass(frozen=True)
class PropertyChange:
    """One property that differs, and what its change does. `reason` and `source` where we know better."""

    path: tuple[str, ...]
    effect: Effect
    reason: str | None = None
    source: str | None = None


def property_changes(
    region: str, resource_type: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> list[PropertyChange]:
    """Every leaf that differs between two sets of properties, in the order of their paths."""
    known = {c.path: c for c in corrected(resource_type, before, after)}
    changes = []
    for path in changed_paths(before, after):
        said = next((known[path[:n]] for n in range(len(path), 0, -1) if path[:n] in known), None)
        if said is not None:
            changes.append(PropertyChange(path, Effect(said.effect), said.reason, said.source))
        elif is_create_only(region, resource_type, path):
            changes.append(PropertyChange(path, Effect.REPLACEMENT))
        else:
            changes.append(PropertyChange(path, Effect.IN_PLACE))
    return changes


def effect_of(changes: Iterable[PropertyChange]) -> Effect:
    """What all changes together do: a resource that is replaced is not asked to change."""
    order = list(Effect)
    return max((change.effect for change in changes), key=order.index, default=Effect.IN_PLACE)


def refusal(resource_type: str, changes: Iterable[PropertyChange]) -> str:
    """The reason of an update that the service refuses."""
    told = [f"{'/'.join(c.path)}: {c.reason}" for c in changes if c.effect is Effect.REFUSED]
    return f"{resource_type} cannot be changed so: {'; '.join(told)}"
