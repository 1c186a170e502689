"""Readers of properties, which return None or an empty value if a property is absent, unknown or malformed.

The readers accept malformed values, because a review checks templates before their form is validated.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.cloud.validation.later import is_later

Properties = Mapping[str, Any]


def reference_at(properties: Properties, *path: str) -> Any:
    """Return a nested property as written, even if its value is not known yet; None if it is absent."""
    value: Any = properties
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def value_at(properties: Properties, *path: str) -> Any:
    """Return a nested property; None if it is absent or not known yet."""
    value = reference_at(properties, *path)
    return None if is_later(value) else value


def text_at(properties: Properties, *path: str) -> str | None:
    """Return a nested string; None if it is absent, unknown or not a string."""
    value = value_at(properties, *path)
    return value if isinstance(value, str) else None


def number_at(properties: Properties, *path: str) -> int | None:
    """Return a nested integer; None if it is absent, unknown or not an integer."""
    value = value_at(properties, *path)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def structure_at(properties: Properties, *path: str) -> Properties:
    """Return a nested structure; empty if it is absent."""
    value = value_at(properties, *path)
    return value if isinstance(value, Mapping) else {}


def items_at(properties: Properties, *path: str) -> list[Any]:
    """Return a nested list; empty if it is absent."""
    value = value_at(properties, *path)
    return value if isinstance(value, list) else []


def texts_at(properties: Properties, *path: str) -> list[tuple[int, str]]:
    """Return the strings in a nested list, each with its index, even if their values are not known yet."""
    found = enumerate(items_at(properties, *path))
    return [(number, item) for number, item in found if isinstance(item, str)]


def structures_at(properties: Properties, *path: str) -> list[tuple[int, Properties]]:
    """Return the structures in a nested list, each with its index."""
    found = enumerate(items_at(properties, *path))
    return [(number, item) for number, item in found if isinstance(item, Mapping)]
