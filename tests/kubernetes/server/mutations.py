"""Changes of an object, one at a time: fields without value, of another type, unknown or out of range."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Path = tuple[str | int, ...]
Object = dict[str, Any]

_ADDRESS = (("metadata",), ("metadata", "namespace"))
"""What a client needs to send an object at all."""

VALUES: Mapping[str, Any] = {"a text": "x y!", "a number": -7, "a list": [], "a map": {}, "null": None}


def mutations(one: Object) -> Iterator[tuple[str, Object]]:
    """Yield each change as `what: path` with the changed object; apiVersion and kind stay."""
    for path in _paths(one):
        if not path or path in _ADDRESS or path[0] in ("apiVersion", "kind"):
            continue
        named = ".".join(map(str, path))
        yield f"without: {named}", _edited(one, path, _drop)
        for name, value in VALUES.items():
            if value != _at(one, path):
                yield f"{name}: {named}", _edited(one, path, _setter(value))
        if isinstance(_at(one, path), dict):
            yield f"an unknown field: {named}", _edited(one, (*path, "unknownField"), _setter(1))


def _paths(value: Any, at: Path = ()) -> Iterator[Path]:
    yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from _paths(inner, (*at, key))


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def _edited(one: Object, path: Path, edit: Callable[[Any, str | int], None]) -> Object:
    found = copy.deepcopy(one)
    edit(_at(found, path[:-1]), path[-1])
    return found


def _drop(place: Any, key: str | int) -> None:
    del place[key]


def _setter(value: Any) -> Callable[[Any, str | int], None]:
    def put(place: Any, key: str | int) -> None:
        place[key] = value

    return put
