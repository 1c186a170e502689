"""What a rule over a resource is: a code, the types it reads, and a function that tells what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from config.diagnostics import Code
from scripts.validation.later import is_later

Properties = Mapping[str, Any]


def reference_at(properties: Properties, *path: str) -> Any:
    """A property of a property as it is written, known yet or not; None where it is absent."""
    value: Any = properties
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def value_at(properties: Properties, *path: str) -> Any:
    """A property of a property, or None where it is absent or not known yet."""
    value = reference_at(properties, *path)
    return None if is_later(value) else value


def items_at(properties: Properties, *path: str) -> list[Any]:
    """A list among the properties; empty where it is absent, or not a list yet."""
    found = value_at(properties, *path)
    return found if isinstance(found, list) else []


def structures_at(properties: Properties, *path: str) -> list[tuple[int, Properties]]:
    """The structures in a list among the properties, each with its number; unknown ones are left out."""
    found = enumerate(items_at(properties, *path))
    return [(number, item) for number, item in found if isinstance(item, Mapping)]


@dataclass(frozen=True, slots=True)
class Sibling:
    """Another resource of the stack; `ids` are the texts by which others refer to it."""

    type: str
    properties: Properties
    ids: frozenset[str] = field(default_factory=frozenset)

    def get(self, *path: str) -> Any:
        """A property, or None where it is absent or not known yet."""
        return value_at(self.properties, *path)


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
        return value_at(self.properties, *path)

    def items(self, *path: str) -> list[Any]:
        """A list among the properties; empty where it is absent, or not a list yet."""
        return items_at(self.properties, *path)

    def structures(self, *path: str) -> list[tuple[int, Properties]]:
        """The structures in a list among the properties, each with its number."""
        return structures_at(self.properties, *path)

    def of_type(self, *types: str) -> Iterator[Sibling]:
        """The other resources of some types."""
        return (sibling for sibling in self.siblings.values() if sibling.type in types)

    def at(self, resource_type: str, *path: str) -> Sibling | None:
        """The other resource that a property refers to; None where the stack has none."""
        return self.named(reference_at(self.properties, *path), resource_type)

    def named(self, value: Any, *types: str) -> Sibling | None:
        """The other resource of one of these types that a value refers to; None where the stack has none."""
        if not isinstance(value, str):
            return None
        return next((sibling for sibling in self.of_type(*types) if value in sibling.ids), None)


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
