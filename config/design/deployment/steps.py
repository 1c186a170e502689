"""The steps of a deployment, each with the steps that it waits for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One resource, or several equal resources; `what` is the name that users see."""

    type: str
    what: str
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps collected so far, by an internal name."""

    found: dict[str, Step] = field(default_factory=dict)

    def add(self, name: str, resource_type: str, what: str, after: Iterable[str]) -> str:
        """Add a step and return its name."""
        self.found[name] = Step(type=resource_type, what=what, after=tuple(dict.fromkeys(after)))
        return name
