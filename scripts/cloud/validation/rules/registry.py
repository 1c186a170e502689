"""A template rule: its code, the resource types that it checks, and its check function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from config.diagnostics import Code

from .reading import Properties, reference_at


@dataclass(frozen=True, slots=True)
class Sibling:
    """A resource of the stack other than the checked one; a reference to it has a value in `ids`."""

    type: str
    properties: Properties
    ids: frozenset[str] = field(default_factory=frozenset)

    def is_called(self, value: Any) -> bool:
        """Return whether a value refers to this resource."""
        return isinstance(value, str) and value in self.ids


@dataclass(frozen=True, slots=True)
class Violation:
    """One property that the service rejects, and what to set instead."""

    path: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """The resource that a rule checks, with the other resources of the stack."""

    region: str
    type: str
    properties: Properties
    siblings: Mapping[str, Sibling]

    def of_type(self, resource_type: str) -> Iterator[Sibling]:
        """Return the stack's other resources of this type."""
        return (sibling for sibling in self.siblings.values() if sibling.type == resource_type)

    def named(self, value: Any, resource_type: str) -> Sibling | None:
        """Return the other resource of this type whose id is `value`; None if the stack has none."""
        return next((sibling for sibling in self.of_type(resource_type) if sibling.is_called(value)), None)

    def at(self, resource_type: str, *path: str) -> Sibling | None:
        """Return the other resource of this type that a property refers to; None if the stack has none."""
        return self.named(reference_at(self.properties, *path), resource_type)


Check = Callable[[Resource], Iterable[Violation]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateRule:
    """A rule with the resource types that it checks."""

    code: Code
    types: frozenset[str]
    check: Check


def rule(code: Code, *types: str) -> Callable[[Check], TemplateRule]:
    """Return a decorator that turns a check into a rule."""

    def make(check: Check) -> TemplateRule:
        return TemplateRule(code=code, types=frozenset(types), check=check)

    return make


def rules_of(*modules: ModuleType) -> tuple[TemplateRule, ...]:
    """Return the rules that the modules define, in source order; skip imported rules."""
    return tuple(
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, TemplateRule) and value.check.__module__ == module.__name__
    )
