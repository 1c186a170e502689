"""How long AWS takes to make, change and delete resources, and what a deployment waits for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Literal

from config.catalog.files import Row, read_one

Action = Literal["create", "update", "delete"]

LONGER = 1.3
"""A deployment that takes more than so many times its longest single resource waits for something twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Duration:
    """What is published of one resource type, in seconds by action; `said` is what the sources say."""

    seconds: Mapping[str, float] = field(hash=False)
    said: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """That a resource of one type comes after one of another, and why it cannot begin sooner."""

    of: str
    on: str
    because: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Durations:
    """All figures by resource type.

    ``default`` is what the simulated clock gives an action without a figure, which is no published one.
    ``unpublished`` are the actions of a type that take their time without a figure. ``waits`` are the
    waits of what takes its time on other such things that a deployment of ours has, by both types.
    ``longer`` are the chains of types, with their reason, that make a deployment longer than ``LONGER`` times
    its longest single resource; several of a type in a row count as one.
    """

    rows: Mapping[str, Duration] = field(hash=False)
    default: Mapping[str, float] = field(hash=False)
    unpublished: Mapping[str, frozenset[str]] = field(hash=False)
    waits: Mapping[tuple[str, str], Wait] = field(hash=False)
    longer: Mapping[tuple[str, ...], str] = field(hash=False)

    def is_slow(self, resource_type: str) -> bool:
        """Whether making one is known to take its time, with a figure or without."""
        return stated_s(resource_type, "create") is not None or is_unpublished(resource_type, "create")


def _duration(row: Row) -> Duration:
    seconds = {key.removesuffix("_s"): float(value) for key, value in row.items() if key.endswith("_s")}
    return Duration(seconds=MappingProxyType(seconds), said=row.get("said", ""), sources=row["sources"])


@cache
def durations() -> Durations:
    """The figures of the catalogue, read once."""
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


def stated_s(resource_type: str, action: str) -> float | None:
    """Seconds that a source tells; None where none does."""
    row = durations().rows.get(resource_type)
    return row.seconds.get(action) if row else None


def duration_s(resource_type: str, action: Action) -> float:
    """Seconds that the action takes on the simulated clock."""
    stated = stated_s(resource_type, action)
    return float(durations().default[action]) if stated is None else stated


def is_unpublished(resource_type: str, action: str) -> bool:
    """Whether the action is known to take its time, and no source tells how long."""
    return action in durations().unpublished.get(resource_type, ())
