"""Duration of a template's first deployment, from its dependencies and published durations."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from config.catalog.durations import duration_s, durations
from config.design.deployment.timing import Timed, timed

from .document import Template
from .graph import dependencies, in_order


class Spanned(Protocol):
    """The time span of an operation on one resource."""

    @property
    def logical_id(self) -> str:
        """The logical id of the resource."""

    @property
    def begin_s(self) -> float:
        """The start of the operation in seconds."""

    @property
    def end_s(self) -> float:
        """The end of the operation in seconds."""


One = TypeVar("One", bound=Spanned)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """The start and end of a resource's creation, in seconds of the simulated clock."""

    logical_id: str
    type: str
    begin_s: float
    end_s: float


def creation_of(template: Template, active: Collection[str] | None = None) -> tuple[Planned, ...]:
    """Return the simulated start and end of each resource's first deployment, ordered by end.

    `active` contains the resources whose condition is true; None means all. Raises RequestRefusedError for a
    template with invalid references.
    """
    graph = dependencies(template)
    order = [name for name in in_order(graph) if active is None or name in active]
    types = types_of(template)
    ends: dict[str, float] = {}
    planned = []
    for name in order:
        begin_s = max((ends[other] for other in graph[name] if other in ends), default=0.0)
        ends[name] = begin_s + duration_s(types[name], "create")
        planned.append(Planned(logical_id=name, type=types[name], begin_s=begin_s, end_s=ends[name]))
    return tuple(sorted(planned, key=lambda one: one.end_s))


def critical_path(spans: Sequence[One], needs_of: Callable[[str], Collection[str]]) -> list[One]:
    """Return the consecutive spans that determine the operation's duration, the first one first.

    If several spans end when the next one starts, the path contains the next one's dependency.
    """
    left = [span for span in spans if span.end_s > span.begin_s]
    if not left:
        return []
    path = [max(left, key=lambda span: (span.end_s, span.begin_s))]
    while True:
        first = path[0]
        before = [s for s in left if s is not first and s.end_s == first.begin_s and s not in path]
        if not before:
            return path
        needs = needs_of(first.logical_id)
        path.insert(0, max(before, key=lambda span: (span.logical_id in needs, span.begin_s)))


def creation_path(template: Template) -> list[Planned]:
    """Return the resources that determine the duration of a first deployment, in order of their creation."""
    graph = dependencies(template)
    return critical_path(creation_of(template), graph.__getitem__)


def slow_waits(template: Template) -> frozenset[tuple[str, str, str, str]]:
    """Return pairs of slow resources where the first waits for the second, directly or through fast ones.

    Each item has the logical ids of the two resources, then their types.
    """
    types, graph = types_of(template), dependencies(template)
    below: dict[str, frozenset[str]] = {}
    for name in in_order(graph):
        below[name] = frozenset(
            slow
            for other in graph[name]
            for slow in ([other] if durations().is_slow(types[other]) else below[other])
        )
    return frozenset(
        (name, other, types[name], types[other])
        for name, others in below.items()
        if durations().is_slow(types[name])
        for other in others
    )


def types_of(template: Template) -> dict[str, str]:
    """Return the type of each resource."""
    return {name: str(resource["Type"]) for name, resource in template.resources.items()}


def slow_steps(template: Template) -> tuple[Timed, ...]:
    """Return the resources with a published duration; all others count as instant."""
    return timed(types_of(template), dependencies(template))
