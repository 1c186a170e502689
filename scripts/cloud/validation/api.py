"""Check a resource's properties against the requests that its provider sends.

A service's API model has patterns, lengths, limits and enumerations that CloudFormation's schema omits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .later import is_later
from .limits import limits_of
from .requests import Place, missing, place_of, rows
from .shapes import shape_named

_WHOLE = ("integer", "long")
_NUMBERS = (*_WHOLE, "float", "double")


@dataclass(frozen=True, slots=True)
class Fault:
    """One value that the API rejects; `source` names the shape with the violated limit."""

    path: str
    message: str
    source: str


def faults(resource_type: str, properties: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield each value that the request models of a type reject; none if the data has no row for the type."""
    if resource_type in rows():
        look = _Look(resource_type)
        for name, value in properties.items():
            yield from look.property(name, name, value)


@dataclass(frozen=True, slots=True)
class _Look:
    """A search through one resource's properties. Only `at`, not `path`, has list indexes and map keys."""

    resource_type: str

    def property(self, path: str, at: str, value: Any) -> Iterator[Fault]:
        """Yield the faults of one property, in any request of the resource type."""
        place = place_of(self.resource_type, path)
        if place is not None:
            yield from self._value(place, path, at, value)

    def _value(self, place: Place, path: str, at: str, value: Any) -> Iterator[Fault]:
        kind = shape_named(place.service, place.shape)["type"]
        if isinstance(value, list) and kind == "list":
            yield from self._limits(place, at, value)
            yield from self._items(place.item, path, at, value)
        elif isinstance(value, list):  # one request for each item, if the table names that request
            yield from self._items(place, path, at, value) if place.named else ()
        elif kind == "list" and place.named:
            yield from self._value(place.item, path, at, value)
        elif isinstance(value, Mapping) and kind == "structure":
            yield from self._structure(place, path, at, value)
        elif isinstance(value, Mapping) and kind == "map":
            yield from self._limits(place, at, value)
            for key, item in value.items():
                yield from self._value(place.value, path, f"{at}/{key}", item)
        elif (plain := _scalar(kind, value)) is not None:
            yield from self._limits(place, at, plain)

    def _items(self, place: Place, path: str, at: str, values: list[Any]) -> Iterator[Fault]:
        for number, item in enumerate(values):
            yield from self._value(place, path, f"{at}/{number}", item)

    def _structure(self, place: Place, path: str, at: str, value: Mapping[str, Any]) -> Iterator[Fault]:
        for name, item in value.items():
            yield from self.property(f"{path}/{name}", f"{at}/{name}", item)
        for member in missing(self.resource_type, path, place, value):
            yield Fault(at, f"{member} is required here", f"{place.service} API model, {place.shape}")

    def _limits(self, place: Place, at: str, value: Any) -> Iterator[Fault]:
        message = limits_of(place.service, place.shape).violation(value)
        if message is not None:
            yield Fault(at, message, f"{place.service} API model, {place.shape}")


def _scalar(kind: str, value: Any) -> Any:
    """Return a value in the request's format; None if the value is not known yet or is not compared."""
    if isinstance(value, bool) or is_later(value):
        return None
    if kind == "string" and isinstance(value, str | int | float):
        return str(value)
    if kind in _NUMBERS and isinstance(value, int | float):
        return value
    if kind in _WHOLE and isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    return None
