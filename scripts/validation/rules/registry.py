"""What a rule over a resource is: a code, the types it reads, and a function that tells what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from config.diagnostics import Code
from scripts.cloudformation.functions import KNOWN_AFTER_APPLY

Properties = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sibling:
    """Another resource of the stack; `ids` are the texts by which others refer to it."""

    type: str
    properties: Properties
    ids: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class Refusal:
    """One property that the service refuses, and what to write instead."""

    path: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """What a rule looks at."""

    region: str
    type: str
    properties: Properties
    siblings: Mapping[str, Sibling]

    def get(self, *path: str) -> Any:
        """A property, or None where it is absent or not known yet."""
        value: Any = self.properties
        for name in path:
            value = value.get(name) if isinstance(value, Mapping) else None
        return None if is_later(value) else value

    def of_type(self, resource_type: str) -> list[Sibling]:
        """The other resources of a type."""
        return [sibling for sibling in self.siblings.values() if sibling.type == resource_type]


Check = Callable[[Resource], Iterable[Refusal]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateRule:
    """A rule over resources of some types."""

    code: Code
    types: frozenset[str]
    check: Check


def rule(code: Code, *types: str) -> Callable[[Check], TemplateRule]:
    """Make a rule of a check."""

    def make(check: Check) -> TemplateRule:
        return TemplateRule(code=code, types=frozenset(types), check=check)

    return make


def is_later(value: Any) -> bool:
    """Whether a value is known only after the deployment."""
    return isinstance(value, str) and any(mark in value for mark in (KNOWN_AFTER_APPLY, "${", "{{resolve:"))
