"""Differences of network access between two stacks: rules, routes, endpoints, gateways, public addresses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from .network_facts import Fact, Topic, facts_of
from .stack import Stack

_TOPICS: tuple[Topic, ...] = ("exposure", "rule", "route", "gateway", "endpoint")


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkChange:
    """Network access that is added (`opened`) or removed (`closed`).

    `resource` is the logical id of the resource that the access belongs to. `public` is True for access from
    or to the internet.
    """

    topic: Topic
    change: Literal["opened", "closed"]
    resource: str
    what: str
    public: bool

    @property
    def is_exposed(self) -> bool:
        """Return whether something becomes reachable from the internet."""
        return self.public and self.change == "opened"

    @property
    def sentence(self) -> str:
        """Return the change in one line."""
        public = " (public)" if self.is_exposed else ""
        change = "added" if self.change == "opened" else "removed the"
        if self.change == "opened" and self.topic != "exposure":
            change += " an" if self.what[0] in "aeioAEIO" else " a"
        return f"{self.resource}: {change} {self.what}{public}"


def network_changes(old: Stack, new: Stack) -> tuple[NetworkChange, ...]:
    """Return the differences, first new public access, then other differences by topic and resource."""
    before, after = facts_of(old), facts_of(new)
    found = [*_changes(after - before, "opened"), *_changes(before - after, "closed")]
    return tuple(
        sorted(
            found,
            key=lambda c: (
                not c.is_exposed,
                _TOPICS.index(c.topic),
                c.resource,
                c.what,
                c.change == "opened",
            ),
        )
    )


def _changes(facts: set[Fact], change: Literal["opened", "closed"]) -> Iterator[NetworkChange]:
    for fact in facts:
        yield NetworkChange(
            topic=fact.topic, change=change, resource=fact.resource, what=fact.what, public=fact.public
        )
