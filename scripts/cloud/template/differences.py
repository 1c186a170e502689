"""Differences between two sets of properties, as the provider's schema compares them.

The order of items in an unordered list (`insertionOrder: false`, and tags) is ignored. If all items have a
name, they are compared by name: an added group does not change the groups after it.
https://docs.aws.amazon.com/cloudformation-cli/latest/userguide/resource-type-schema.html
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .provider_schemas import known_schema
from .schema import ITEM_NAMES, follow, leaves

Path = tuple[str, ...]
Schema = Mapping[str, Any]
_ABSENT = object()


def differences(
    region: str, resource_type: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> list[Path]:
    """Return the path of each difference. A path contains the names of items in unordered lists."""
    root = known_schema(region, resource_type) or {}
    return sorted(set(_compare(before, after, root, root, ())))


def _compare(before: Any, after: Any, schema: Schema, root: Schema, path: Path) -> Iterator[Path]:
    if _same(before, after):
        return
    schema = follow(schema, root)
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before.keys() | after.keys():
            inner = _child(schema, key, root)
            yield from _compare(before.get(key, _ABSENT), after.get(key, _ABSENT), inner, root, (*path, key))
    elif isinstance(before, list) and isinstance(after, list):
        items = _items(schema, root)
        if is_unordered(schema, path):
            yield from _compare_unordered(before, after, items, root, path)
        else:
            for i in range(max(len(before), len(after))):
                was, will = (side[i] if i < len(side) else _ABSENT for side in (before, after))
                yield from _compare(was, will, items, root, (*path, str(i)))
    else:
        for side in (before, after):
            if side is not _ABSENT:
                yield from (leaf for leaf, _ in leaves(side, path))


def _compare_unordered(
    before: list[Any], after: list[Any], items: Schema, root: Schema, path: Path
) -> Iterator[Path]:
    if sorted(_plain(i, items, root) for i in before) == sorted(_plain(i, items, root) for i in after):
        return
    name = _item_name(before, after)
    if name is None:
        yield path
        return
    old, new = ({item[name]: item for item in side} for side in (before, after))
    for key in old.keys() | new.keys():
        if key in old and key in new:
            yield from _compare(old[key], new[key], items, root, (*path, key))
        else:
            yield (*path, key)


def is_unordered(schema: Schema, path: Path) -> bool:
    """Return whether the order of a list is irrelevant."""
    return schema.get("insertionOrder") is False or path[-1:] == ("Tags",)


def _item_name(before: list[Any], after: list[Any]) -> str | None:
    """Return a property that each item has and whose value is unique in each of the two lists."""
    for name in ITEM_NAMES:
        sides = [[i.get(name) if isinstance(i, dict) else None for i in side] for side in (before, after)]
        if all(isinstance(n, str) for side in sides for n in side) and all(
            len(set(side)) == len(side) for side in sides
        ):
            return name
    return None


def _plain(value: Any, schema: Schema, root: Schema, path: Path = ()) -> str:
    """Return a value as text; the order of an unordered list does not change the text."""
    schema = follow(schema, root)
    if isinstance(value, dict):
        inner = ((k, _plain(v, _child(schema, k, root), root, (k,))) for k, v in sorted(value.items()))
        return "{" + ",".join(f"{json.dumps(key)}:{text}" for key, text in inner) + "}"
    if isinstance(value, list):
        texts = [_plain(item, _items(schema, root), root) for item in value]
        return "[" + ",".join(sorted(texts) if is_unordered(schema, path) else texts) + "]"
    return json.dumps(value)


def _same(before: Any, after: Any) -> bool:
    """Return whether two values are equal; True is not equal to 1."""
    return bool(before == after) and isinstance(before, bool) == isinstance(after, bool)


def _child(schema: Schema, key: str, root: Schema) -> Schema:
    """Return the schema of a property; its parent's schema can define it in an alternative."""
    for part in _parts(schema, root):
        if key in part.get("properties", {}):
            return dict(part["properties"][key])
    return {}


def _items(schema: Schema, root: Schema) -> Schema:
    lists = (part["items"] for part in _parts(schema, root) if isinstance(part.get("items"), dict))
    found: Schema = next(lists, {})
    return found


def _parts(schema: Schema, root: Schema) -> Iterator[Schema]:
    schema = follow(schema, root)
    yield schema
    for keyword in ("allOf", "anyOf", "oneOf"):
        for option in schema.get(keyword, ()):
            yield from _parts(option, root)
