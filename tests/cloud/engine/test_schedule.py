"""The schedule: what runs at once, what a failure stops, and how long it all takes."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.cloud.engine.clock import Clock
from scripts.cloud.engine.schedule import Outcome, reversed_graph, run

Graph = Mapping[str, set[str]]


class LateError(Exception):
    """A failure that shows after a while."""

    def __init__(self, after_s: float) -> None:
        super().__init__("late")
        self.after_s = after_s


@dataclass
class Recorder:
    clock: Clock
    seconds: Mapping[str, float] = field(default_factory=dict)
    errors: Mapping[str, Exception] = field(default_factory=dict)
    log: list[tuple[str, str, float]] = field(default_factory=list)

    def begin(self, name: str) -> float:
        self._note("begin", name)
        if name in self.errors:
            raise self.errors[name]
        return self.seconds.get(name, 1.0)

    def complete(self, name: str) -> None:
        self._note("complete", name)

    def fail(self, name: str, error: Exception) -> None:
        self._note("fail", name)

    def cancel(self, name: str) -> None:
        self._note("cancel", name)

    def _note(self, what: str, name: str) -> None:
        self.log.append((what, name, self.clock.elapsed_s))

    def at(self, what: str) -> dict[str, float]:
        return {name: when for did, name, when in self.log if did == what}


def play(
    graph: Graph,
    seconds: Mapping[str, float] | None = None,
    errors: Mapping[str, Exception] | None = None,
    *,
    isolate: bool = False,
) -> tuple[Recorder, Outcome]:
    clock = Clock()
    recorder = Recorder(clock, seconds or {}, errors or {})
    return recorder, run(graph, recorder, clock, isolate=isolate)


def test_independent_steps_begin_at_once_and_others_after_what_they_stand_on() -> None:
    recorder, outcome = play({"a": set(), "b": set(), "c": {"a", "b"}}, {"a": 10, "b": 4, "c": 1})
    assert outcome.ok
    assert recorder.at("begin") == {"a": 0, "b": 0, "c": 10}
    assert recorder.at("complete") == {"a": 10, "b": 4, "c": 11}


def test_a_failure_cancels_what_is_under_way_and_begins_nothing_more() -> None:
    graph: Graph = {"bad": set(), "slow": set(), "after": {"bad"}, "later": {"slow"}}
    recorder, outcome = play(graph, {"slow": 100}, {"bad": LateError(5)})
    assert (outcome.failed, outcome.cancelled, outcome.skipped) == (["bad"], ["slow"], ["after", "later"])
    assert recorder.at("cancel") == {"slow": 5}


def test_isolated_failures_stop_only_what_stands_on_them() -> None:
    graph: Graph = {"bad": set(), "slow": set(), "after": {"bad"}, "later": {"slow"}}
    recorder, outcome = play(graph, {"slow": 100}, {"bad": LateError(5)}, isolate=True)
    assert (outcome.failed, outcome.cancelled, outcome.skipped) == (["bad"], [], ["after"])
    assert recorder.at("complete") == {"slow": 100, "later": 101}


def test_two_failures_at_one_moment_are_both_failures() -> None:
    recorder, outcome = play({"a": set(), "b": set()}, {}, {"a": ValueError("x"), "b": ValueError("y")})
    assert sorted(outcome.failed) == ["a", "b"]
    assert recorder.at("cancel") == {}


def test_a_paced_clock_waits_and_an_unpaced_one_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    Clock().advance(50.0)
    assert waits == []
    Clock(pace=1000.0, _started=100.0).advance(50.0)
    assert waits == [pytest.approx(0.05)]


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, set[str]]:
    names = [f"n{number}" for number in range(draw(st.integers(1, 12)))]
    return {
        name: draw(st.sets(st.sampled_from(names[:position]))) if position else set()
        for position, name in enumerate(names)
    }


@given(graphs(), st.randoms(use_true_random=False))
def test_every_step_begins_when_the_last_of_what_it_stands_on_has_ended(
    graph: Graph, chance: random.Random
) -> None:
    seconds = {name: float(chance.randint(0, 9)) for name in graph}
    recorder, outcome = play(graph, seconds)
    assert outcome.ok
    begun, ended = recorder.at("begin"), recorder.at("complete")
    for name, needs in graph.items():
        assert begun[name] == max((ended[n] for n in needs), default=0.0)
        assert ended[name] == begun[name] + seconds[name]


@given(graphs())
def test_the_order_of_deletion_is_the_graph_turned_round(graph: Graph) -> None:
    turned = reversed_graph(graph)
    assert {(a, b) for a, needs in graph.items() for b in needs} == {
        (b, a) for a, needs in turned.items() for b in needs
    }
