"""Start and end of each step of a deployment, and its critical path."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter

from config.catalog.durations import declared_s, durations


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """One slow step, with times in seconds from the start of the deployment.

    `seconds` is None if no duration is published; the step then counts as 0 s. `after` is the last step that
    it waited for.
    """

    name: str
    type: str
    begin_s: float
    end_s: float
    seconds: float | None
    critical: bool
    after: str | None


def timed(types: Mapping[str, str], needs: Mapping[str, Collection[str]]) -> tuple[Timed, ...]:
    """Return the slow steps of a deployment in order, from published durations only.

    `types` has the resource type of every step, `needs` the steps that it waits for. A step without a
    published duration counts as 0 s, and is omitted unless it is known to be slow. Steps that wait for an
    omitted step then wait for the steps before the omitted one. If several steps end last, the critical path
    is the longest chain of slow steps.
    """
    found: dict[str, _Reached] = {}
    for name in TopologicalSorter(
        {n: sorted(set(below) & set(types)) for n, below in needs.items()}
    ).static_order():
        found[name] = _reached(name, types[name], [found[n] for n in needs[name] if n in types])
    slow = [reached for reached in found.values() if reached.slow == reached.name]
    critical = _chain(found, max(slow, key=_Reached.rank, default=None))
    return tuple(
        Timed(
            name=one.name, type=one.type, begin_s=one.begin_s, end_s=one.end_s,
            seconds=declared_s(one.type, "create"), critical=one.name in critical, after=one.after,
        )
        for one in sorted(slow, key=lambda one: (one.begin_s, one.end_s, one.depth, one.type, one.name))
    )  # fmt: skip


def total_s(steps: Collection[Timed]) -> float:
    """Return the time of the whole deployment in seconds."""
    return max((step.end_s for step in steps), default=0.0)


def longest_s(steps: Collection[Timed]) -> float:
    """Return the duration of the slowest step in seconds."""
    return max((step.end_s - step.begin_s for step in steps), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reached:
    """A step; `after` is the last slow step before it.

    `slow` is the step itself if it is slow, else `after`.
    """

    name: str
    type: str
    begin_s: float
    end_s: float
    depth: int
    slow: str | None
    after: str | None

    def rank(self) -> tuple[float, int, str, str]:
        """Sort key of the step: end time, then the number of slow steps in its chain, then the type."""
        return (self.end_s, self.depth, self.type, self.slow or "")


def _reached(name: str, kind: str, below: list[_Reached]) -> _Reached:
    last = max(below, key=_Reached.rank, default=None)
    begin_s, depth, after = (last.end_s, last.depth, last.slow) if last else (0.0, 0, None)
    slow = durations().is_slow(kind)
    return _Reached(
        name=name, type=kind if slow else last.type if last else "", begin_s=begin_s,
        end_s=begin_s + (declared_s(kind, "create") or 0.0), depth=depth + slow,
        slow=name if slow else after, after=after,
    )  # fmt: skip


def _chain(found: Mapping[str, _Reached], last: _Reached | None) -> frozenset[str]:
    names: list[str] = []
    while last is not None:
        names.append(last.name)
        last = found[last.after] if last.after else None
    return frozenset(names)
