"""Published durations of creating, updating and deleting AWS resources.

The module also has the dependencies between resource types.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Literal

from config.catalog.files import Row, read_one

Action = Literal["create", "update", "delete"]

LONGER = 1.3
"""A deployment longer than this factor times its longest single resource has slow steps in sequence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Duration:
    """The published durations of a resource type, in seconds by action; `said` quotes the sources."""

    seconds: Mapping[str, float] = field(hash=False)
    said: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A dependency of the resource type `of` on the type `on`, with the reason `because`."""

    of: str
    on: str
    because: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Durations:
    """All durations by resource type.

    The simulated clock uses ``default`` for actions without a published duration. ``unpublished`` are slow
    actions without a published duration. ``waits`` are the dependencies between slow resource types in
    ultracluster's stacks, keyed by the pair of types. ``longer`` maps chains of resource types to reasons.
    The reason explains why a deployment with the chain lasts more than ``LONGER`` times as long as its
    slowest resource. Consecutive resources of a type count as one.
    """

    rows: Mapping[str, Duration] = field(hash=False)
    default: Mapping[str, float] = field(hash=False)
    unpublished: Mapping[str, frozenset[str]] = field(hash=False)
    waits: Mapping[tuple[str, str], Wait] = field(hash=False)
    longer: Mapping[tuple[str, ...], str] = field(hash=False)

    def is_slow(self, resource_type: str) -> bool:
        """Return whether creation is known to be slow, even if no duration is published."""
        return declared_s(resource_type, "create") is not None or is_unpublished(resource_type, "create")


def _duration(row: Row) -> Duration:
    seconds = {key.removesuffix("_s"): float(value) for key, value in row.items() if key.endswith("_s")}
    return Duration(seconds=MappingProxyType(seconds), said=row.get("said", ""), sources=row["sources"])


@cache
def durations() -> Durations:
    """Return the durations of the catalogue; the file is read on the first call."""
    document = read_one("durations")
    return Durations(
        rows=MappingProxyType({name: _duration(row) for name, row in document["rows"].items()}),
        default=MappingProxyType({key.removesuffix("_s"): s for key, s in document["default"].items()}),
        unpublished=MappingProxyType(
            {name: frozenset(actions) for name, actions in document["unpublished"].items()}
        ),
        waits=MappingProxyType({(row["of"], row["on"]): Wait(**row) for row in document["waits"]}),
        longer=MappingProxyType({row["chain"]: row["because"] for row in document["longer"]}),
    )


def declared_s(resource_type: str, action: str) -> float | None:
    """Return the published duration in seconds; None if there is none."""
    row = durations().rows.get(resource_type)
    return row.seconds.get(action) if row else None


def duration_s(resource_type: str, action: Action) -> float:
    """Return the duration of an action on the simulated clock, in seconds."""
    declared = declared_s(resource_type, action)
    return float(durations().default[action]) if declared is None else declared


def is_unpublished(resource_type: str, action: str) -> bool:
    """Return whether an action is known to be slow, but has no published duration."""
    return action in durations().unpublished.get(resource_type, ())
