"""How long a first deployment of a template takes, by its own dependencies and published figures."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from config.catalog.durations import duration_s, durations
from config.design.deployment.timing import Timed, timed

from .document import Template
from .graph import dependencies, in_order


class Spanned(Protocol):
    """What one resource takes of an operation."""

    @property
    def logical_id(self) -> str:
        """The resource."""

    @property
    def begin_s(self) -> float:
        """When it begins."""

    @property
    def end_s(self) -> float:
        """When it ends."""


One = TypeVar("One", bound=Spanned)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """When a resource begins and ends, in seconds of the simulated clock."""

    logical_id: str
    type: str
    begin_s: float
    end_s: float


def creation_of(template: Template, active: Collection[str] | None = None) -> tuple[Planned, ...]:
    """Every resource of a first deployment, in the order in which they end, as the simulated clock has it.

    `active` are the resources whose condition holds; None: all. Raises RequestRefusedError for a template
    whose references are wrong.
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
    """The spans that follow each other to the operation's end, the first one first.

    Of those that ended when a span began, the one that it stands on is taken.
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
    """The resources that decide how long a first deployment is."""
    graph = dependencies(template)
    return critical_path(creation_of(template), graph.__getitem__)


def slow_waits(template: Template) -> frozenset[tuple[str, str, str, str]]:
    """What takes its time and what it waits for of that kind, at once or through short resources alone.

    Each as the logical ids of both, and then their types.
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
    """The type of every resource."""
    return {name: str(resource["Type"]) for name, resource in template.resources.items()}


def slow_steps(template: Template) -> tuple[Timed, ...]:
    """What takes its time, by published figures alone: what has none counts for nothing."""
    return timed(types_of(template), dependencies(template))
