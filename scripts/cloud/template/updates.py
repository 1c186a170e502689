"""What an update does to a resource: in place, with an interruption, by replacement, or refused.

The provider's schema says what replaces; the corrections say where the service does otherwise; and what has a
name of its own is not replaced while it keeps the name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from .corrections import Correction, corrected
from .differences import differences
from .effects import Effect, Topic
from .names import Held, in_the_way
from .schema import is_create_only, may_be_create_only

__all__ = ["Effect", "PropertyChange", "Topic", "effect_of", "property_changes", "refusal"]


NEEDS_REPLACEMENT = "needs a replacement, but "
"""How the reason of a replacement begins that something stands in the way of."""


@dataclass(frozen=True)
class PropertyChange:
    """One property that differs, and what its change does. The rest is set where we know better.

    In the path, an item of a list without order goes by its name: `InstanceGroups/train/InstanceCount`.
    """

    path: tuple[str, ...]
    effect: Effect
    reason: str | None = None
    source: str | None = None
    hint: str | None = None
    topic: Topic | None = None


def property_changes(
    region: str, resource_type: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> list[PropertyChange]:
    """Everything that differs between two sets of properties, in the order of the paths."""
    known = {c.path: c for c in corrected(resource_type, before, after)}
    changes = [
        _change(region, resource_type, path, known)
        for path in differences(region, resource_type, before, after)
    ]
    if effect_of(changes) is not Effect.REPLACEMENT:
        return changes
    obstacle = in_the_way(region, resource_type, before, after)
    return changes if obstacle is None else [_stopped(change, obstacle) for change in changes]


def _change(
    region: str, resource_type: str, path: tuple[str, ...], known: Mapping[tuple[str, ...], Correction]
) -> PropertyChange:
    said = next((known[path[:n]] for n in range(len(path), 0, -1) if path[:n] in known), None)
    if said is not None:
        return PropertyChange(path, said.effect, said.reason, said.source, said.hint, said.topic)
    if is_create_only(region, resource_type, path):
        return PropertyChange(path, Effect.REPLACEMENT)
    if may_be_create_only(region, resource_type, path):
        return PropertyChange(path, Effect.MAY_REPLACE, "replaces the resource in some cases")
    return PropertyChange(path, Effect.IN_PLACE)


def _stopped(change: PropertyChange, obstacle: Held) -> PropertyChange:
    """A replacement that what the old resource has alone stands in the way of."""
    if change.effect is not Effect.REPLACEMENT:
        return change
    way_out = (
        "change the name with it" if obstacle.custom_name else "take the old one out in a deployment before"
    )
    reason = f"{NEEDS_REPLACEMENT}{obstacle.what}"
    return replace(change, effect=Effect.REFUSED, reason=reason, source=obstacle.source, hint=way_out)


def effect_of(changes: Iterable[PropertyChange]) -> Effect:
    """What all changes together do: a resource that is replaced is not asked to change."""
    order = list(Effect)
    return max((change.effect for change in changes), key=order.index, default=Effect.IN_PLACE)


def refusal(resource_type: str, changes: Iterable[PropertyChange]) -> str:
    """The reason of an update that the service refuses."""
    told = [f"{'/'.join(c.path)}: {c.reason}" for c in changes if c.effect is Effect.REFUSED]
    return f"{resource_type} cannot be changed so: {'; '.join(told)}"
