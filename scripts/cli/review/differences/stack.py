"""The resources of one side with their values, as the differences read them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from scripts.cli.review.evaluated import Evaluated
from scripts.cli.review.symbols import shown

_WHOLE = re.compile(r"\$\{([A-Za-z0-9]+)(?:\.[^${}]*)?\}")
_NEW = re.compile(r" \(new\)\}")


class Resource(NamedTuple):
    """A resource: its type and its properties; what only a deployment knows is `${LogicalId.Attribute}`."""

    type: str
    properties: Mapping[str, Any]


Stack: TypeAlias = Mapping[str, Resource]
"""Resources by logical id."""


def stack_of(side: Evaluated, properties: Mapping[str, Mapping[str, Any]]) -> Stack:
    """One side of a comparison; that a resource is made anew makes no other value of its name."""
    return {name: Resource(side.kind(name), _settled(shown(given))) for name, given in properties.items()}


def owner(value: Any) -> str | None:
    """The logical id that a value is the name, id or ARN of; None for any other value."""
    found = _WHOLE.fullmatch(value) if isinstance(value, str) else None
    return found[1] if found else None


def named(value: Any) -> str:
    """A value as the logical id of what it belongs to, else as it is written."""
    return owner(value) or str(value)


def listed(value: Any) -> list[Any]:
    """A value that may be one or a list of them."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    """The mappings of a list; a template that is written otherwise has none."""
    yield from (item for item in listed(value) if isinstance(item, dict))


def _settled(value: Any) -> Any:
    if isinstance(value, str):
        return _NEW.sub("}", value)
    if isinstance(value, dict):
        return {key: _settled(item) for key, item in value.items()}
    return [_settled(item) for item in value] if isinstance(value, list) else value
