"""How rules read properties: what is absent, of another form, or not known yet gives nothing.

A review judges templates as they are written, before anybody knows that their form is right.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.cloud.validation.later import is_later

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


def text_at(properties: Properties, *path: str) -> str | None:
    """A text among the properties."""
    value = value_at(properties, *path)
    return value if isinstance(value, str) else None


def number_at(properties: Properties, *path: str) -> int | None:
    """A whole number among the properties."""
    value = value_at(properties, *path)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def structure_at(properties: Properties, *path: str) -> Properties:
    """A structure among the properties; empty where there is none."""
    value = value_at(properties, *path)
    return value if isinstance(value, Mapping) else {}


def items_at(properties: Properties, *path: str) -> list[Any]:
    """A list among the properties; empty where there is none."""
    value = value_at(properties, *path)
    return value if isinstance(value, list) else []


def texts_at(properties: Properties, *path: str) -> list[tuple[int, str]]:
    """The texts in a list among the properties, known yet or not, each with its number."""
    found = enumerate(items_at(properties, *path))
    return [(number, item) for number, item in found if isinstance(item, str)]


def structures_at(properties: Properties, *path: str) -> list[tuple[int, Properties]]:
    """The structures in a list among the properties, each with its number."""
    found = enumerate(items_at(properties, *path))
    return [(number, item) for number, item in found if isinstance(item, Mapping)]
