"""Steps of a deployment as they are collected: what each is, and what it comes after."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One resource, or several alike that nothing tells apart; `what` is it in words."""

    type: str
    what: str
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps so far, by a name that only this module's users know."""

    found: dict[str, Step] = field(default_factory=dict)

    def add(self, name: str, resource_type: str, what: str, after: Iterable[str]) -> str:
        """One more step; gives its name back."""
        self.found[name] = Step(type=resource_type, what=what, after=tuple(dict.fromkeys(after)))
        return name
