"""A template with its values: which resources it has, and what their properties are."""

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
    """A template as one deployment sees it. `properties` has the active resources only."""

    template: Template
    region: str
    symbols: Symbols
    order: tuple[str, ...]

    @classmethod
    def of(cls, template: Template, region: str, stack: str | None) -> Evaluated:
        """Read a template; raises, with every problem, for one that CloudFormation would not read."""
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
        """The type of a resource."""
        return str(self.template.resources[logical_id]["Type"])

    def declared(self, logical_id: str) -> Mapping[str, Any]:
        """A resource as the template has it."""
        return self.template.resources[logical_id]

    def properties(self, logical_id: str) -> dict[str, Any]:
        """The properties of a resource, with the types that its schema has; raises for what has no value."""
        declared = self.declared(logical_id)
        value = guarded(declared.get("Properties") or {}, self.symbols)
        if not isinstance(value, dict):
            raise ResourceFailedError("the properties are not a mapping")
        schema = known_schema(self.region, declared["Type"])
        return as_typed(declared["Type"], value, schema) if schema else value


def guarded(value: Any, symbols: Symbols) -> Any:
    """A value with every function replaced; a function that is written wrongly is told as one."""
    try:
        return evaluate(value, symbols)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise ResourceFailedError(f"a function is not written as CloudFormation reads it ({error})") from None


def said(error: Exception) -> str:
    """The words of an error, without those of CloudFormation's answer around them."""
    text = str(error).removeprefix("Template error: ").removeprefix("Template format error: ")
    return text.replace("the embedded cloud does not know", "nothing is known of")
