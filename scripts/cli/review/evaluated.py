"""Evaluate a template: its active resources and their properties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scripts.cloud.template.document import Template
from scripts.cloud.template.errors import RequestRefusedError, ResourceFailedError
from scripts.cloud.template.graph import dependencies, in_order
from scripts.cloud.template.provider_schemas import known_schema
from scripts.cloud.template.schema import as_typed

from .errors import UnusableError
from .symbols import Symbols, evaluate


@dataclass(frozen=True)
class Evaluated:
    """A template with evaluated functions. `order` has the active resources only."""

    template: Template
    region: str
    symbols: Symbols
    order: tuple[str, ...]

    @classmethod
    def of(cls, template: Template, region: str, stack: str | None) -> Evaluated:
        """Evaluate a template; raises an error with all problems if CloudFormation would reject it."""
        symbols = Symbols(template, region, stack)
        try:
            order = in_order(dependencies(template))
        except RequestRefusedError as error:
            raise UnusableError([said(error)]) from None
        problems = []
        active = []
        for name in order:
            try:
                if symbols.is_active(template.resources[name]):
                    active.append(name)
            except ResourceFailedError as error:
                problems.append(f"{name}: {said(error)}")
        if problems:
            raise UnusableError(problems)
        return cls(template, region, symbols, tuple(active))

    def kind(self, logical_id: str) -> str:
        """Return the type of a resource."""
        return str(self.template.resources[logical_id]["Type"])

    def declared(self, logical_id: str) -> Mapping[str, Any]:
        """Return a resource as the template declares it."""
        return self.template.resources[logical_id]

    def properties(self, logical_id: str) -> dict[str, Any]:
        """Return a resource's properties in the types of its schema; raises if a property has no value."""
        declared = self.declared(logical_id)
        value = guarded(declared.get("Properties") or {}, self.symbols)
        if not isinstance(value, dict):
            raise ResourceFailedError("the properties are not a mapping")
        schema = known_schema(self.region, declared["Type"])
        return as_typed(declared["Type"], value, schema) if schema else value


def guarded(value: Any, symbols: Symbols) -> Any:
    """Return a value with every function replaced; raises if a function has invalid arguments."""
    try:
        return evaluate(value, symbols)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise ResourceFailedError(f"a function has invalid arguments ({error})") from None


def said(error: Exception) -> str:
    """Return the text of an error without CloudFormation's prefix."""
    text = str(error).removeprefix("Template error: ").removeprefix("Template format error: ")
    return text.replace("the embedded cloud does not know", "the review does not know")
