"""The effect of an update on a resource: in place, interruption, replacement or rejection.

The provider's schema lists which properties cause a replacement. Corrections cover services that behave
differently. A resource with a unique name can be replaced only if the name also changes.
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


NEEDS_REPLACEMENT = "requires replacement, but "
"""Each reason starts with this text if a unique value prevents the replacement."""


@dataclass(frozen=True)
class PropertyChange:
    """One changed property, and the effect of the change. Corrections set the reason, source, hint and topic.

    The path contains the names of items in unordered lists: `InstanceGroups/train/InstanceCount`.
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
    """Return the changes between two sets of properties, ordered by path."""
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
    correction = next((known[path[:n]] for n in range(len(path), 0, -1) if path[:n] in known), None)
    if correction is not None:
        return PropertyChange(
            path, correction.effect, correction.reason, correction.source, correction.hint, correction.topic
        )
    if is_create_only(region, resource_type, path):
        return PropertyChange(path, Effect.REPLACEMENT)
    if may_be_create_only(region, resource_type, path):
        return PropertyChange(path, Effect.MAY_REPLACE, "replaces the resource in some cases")
    return PropertyChange(path, Effect.IN_PLACE)


def _stopped(change: PropertyChange, obstacle: Held) -> PropertyChange:
    """Return the change; if it is a replacement, it is rejected because of the unique value."""
    if change.effect is not Effect.REPLACEMENT:
        return change
    way_out = (
        "change the name as well"
        if obstacle.custom_name
        else "first remove the old resource in a separate deployment"
    )
    reason = f"{NEEDS_REPLACEMENT}{obstacle.what}"
    return replace(change, effect=Effect.REFUSED, reason=reason, source=obstacle.source, hint=way_out)


def effect_of(changes: Iterable[PropertyChange]) -> Effect:
    """Return the strongest effect of the changes."""
    order = list(Effect)
    return max((change.effect for change in changes), key=order.index, default=Effect.IN_PLACE)


def refusal(resource_type: str, changes: Iterable[PropertyChange]) -> str:
    """Return the error message of an update that the service rejects."""
    reasons = [f"{'/'.join(c.path)}: {c.reason}" for c in changes if c.effect is Effect.REFUSED]
    return f"{resource_type} does not support this update: {'; '.join(reasons)}"
