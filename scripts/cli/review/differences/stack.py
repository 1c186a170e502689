"""Resources of OLD or NEW with their values, for the comparison of permissions and network access."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from scripts.cli.review.evaluated import Evaluated
from scripts.cli.review.symbols import shown

_WHOLE = re.compile(r"\$\{([A-Za-z0-9]+)(?:\.[^${}]*)?\}")
_NEW = re.compile(r" \(new\)\}")


class Resource(NamedTuple):
    """A resource: its type and properties; a value known after deployment is `${LogicalId.Attribute}`."""

    type: str
    properties: Mapping[str, Any]


Stack: TypeAlias = Mapping[str, Resource]
"""Resources by logical id."""


def stack_of(side: Evaluated, properties: Mapping[str, Mapping[str, Any]]) -> Stack:
    """Return the resources of OLD or NEW; a reference to a replaced resource does not count as changed."""
    return {
        name: Resource(side.kind(name), _settled(shown(resource))) for name, resource in properties.items()
    }


def owner(value: Any) -> str | None:
    """Return the logical id of a resource if the value is its name, id or ARN; None for other values."""
    found = _WHOLE.fullmatch(value) if isinstance(value, str) else None
    return found[1] if found else None


def named(value: Any) -> str:
    """Return the logical id of a resource if the value is its name, id or ARN; otherwise return the value."""
    return owner(value) or str(value)


def listed(value: Any) -> list[Any]:
    """Return a list from a value that is a list or a single item."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the mappings of a list; other items are ignored."""
    yield from (item for item in listed(value) if isinstance(item, dict))


def _settled(value: Any) -> Any:
    if isinstance(value, str):
        return _NEW.sub("}", value)
    if isinstance(value, dict):
        return {key: _settled(item) for key, item in value.items()}
    return [_settled(item) for item in value] if isinstance(value, list) else value
