"""Execution of steps in dependency order on a simulated clock; independent steps run in parallel."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from typing import Protocol

from .clock import Clock


class Steps(Protocol):
    """The actions at each node of the graph."""

    def begin(self, name: str) -> float:
        """Start a step; returns its duration in simulated seconds.

        If it raises an exception, the step fails; if the exception has an attribute `after_s`, the step fails
        after that many seconds.
        """

    def complete(self, name: str) -> None:
        """Record that the step succeeded."""

    def fail(self, name: str, error: Exception) -> None:
        """Record that the step failed."""

    def cancel(self, name: str) -> None:
        """Record that the step was cancelled because another step failed."""


@dataclass
class Outcome:
    """The result of a schedule: steps that failed, were cancelled, or were not started."""

    failed: list[str] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether all steps succeeded."""
        return not (self.failed or self.cancelled or self.skipped)


@dataclass(order=True)
class _Due:
    at_s: float
    number: int
    name: str = field(compare=False)
    error: Exception | None = field(compare=False, default=None)


def run(
    graph: Mapping[str, Collection[str]],
    steps: Steps,
    clock: Clock,
    *,
    isolate: bool = False,
    stop: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Run each step after its dependencies.

    If a step fails, the running steps are cancelled. With `isolate`, only the steps that depend on the failed
    step are not started. `stop` is called between steps; if it returns True, the running steps are cancelled.
    """
    return _Run(graph, steps, clock, isolate).to_the_end(stop)


class _Run:
    def __init__(
        self, graph: Mapping[str, Collection[str]], steps: Steps, clock: Clock, isolate: bool
    ) -> None:
        self._steps, self._clock, self._isolate = steps, clock, isolate
        self._names = list(graph)
        self._position = {name: number for number, name in enumerate(self._names)}
        self._sorter = TopologicalSorter(
            {name: sorted(set(needs) & set(graph)) for name, needs in graph.items()}
        )
        self._sorter.prepare()
        self._under_way: list[_Due] = []
        self._begun: set[str] = set()
        self._halted = False
        self._outcome = Outcome()

    def to_the_end(self, stop: Callable[[], bool]) -> Outcome:
        self._begin_ready()
        while self._under_way:
            due = heapq.heappop(self._under_way)
            self._clock.advance(due.at_s)
            if due.error is not None:
                self._fail(due.name, due.error)
            else:
                self._steps.complete(due.name)
                self._sorter.done(due.name)
            if stop() and not self._halted:
                self._halt()
            if not self._halted:
                self._begin_ready()
        self._outcome.skipped = [name for name in self._names if name not in self._begun]
        return self._outcome

    def _begin_ready(self) -> None:
        for name in sorted(self._sorter.get_ready(), key=self._position.__getitem__):
            if self._halted:
                return
            self._begin(name)

    def _begin(self, name: str) -> None:
        self._begun.add(name)
        at_s, error = self._clock.elapsed_s, None
        try:
            at_s += self._steps.begin(name)
        except Exception as raised:
            at_s, error = at_s + float(getattr(raised, "after_s", 0.0)), raised
        heapq.heappush(self._under_way, _Due(at_s, self._position[name], name, error))

    def _fail(self, name: str, error: Exception) -> None:
        self._steps.fail(name, error)
        self._outcome.failed.append(name)
        if not self._isolate and not self._halted:
            self._halt()

    def _halt(self) -> None:
        """Cancel the running steps; steps whose failure is due now fail instead."""
        self._halted = True
        now_s = self._clock.elapsed_s
        for due in sorted(self._under_way):
            if due.error is not None and due.at_s <= now_s:
                self._steps.fail(due.name, due.error)
                self._outcome.failed.append(due.name)
            else:
                self._steps.cancel(due.name)
                self._outcome.cancelled.append(due.name)
        self._under_way = []


def reversed_graph(needs: Mapping[str, Collection[str]]) -> dict[str, set[str]]:
    """Return the graph for a deletion, in which each resource is deleted after those that depend on it."""
    after: dict[str, set[str]] = {name: set() for name in reversed(list(needs))}
    for name, below in needs.items():
        for other in below:
            if other in after:
                after[other].add(name)
    return after
