"""The schemas of CloudFormation's providers beside the services' API models: where they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scripts.cloud.template.provider_schemas import schema_of
from scripts.cloud.validation.limits import Limits, limits_of
from scripts.cloud.validation.requests import Place, missing, place_of, rows
from scripts.cloud.validation.shapes import shape_named

REGION = "us-east-1"
_SIZES = {"string": ("minLength", "maxLength"), "list": ("minItems", "maxItems"), "map": ("", "")}


@dataclass(frozen=True)
class Difference:
    """`kind` is unmapped, missing (a required member that no property gives), words, least or most."""

    kind: str
    type: str
    path: str
    shape: str = ""
    schema_has: Any = None


def differences(resource_type: str) -> Iterator[Difference]:
    """Every difference in one type's properties."""
    schema = schema_of(REGION, resource_type)
    for name, child in _properties(schema, schema).items():
        yield from _property(resource_type, name, child, schema, ())


def properties_at(resource_type: str) -> set[str]:
    """The paths of all properties of a type, without list indexes."""
    schema = schema_of(REGION, resource_type)
    found: set[str] = set()
    _paths(schema, schema, "", found, ())
    return found


def _paths(
    schema: Mapping[str, Any], root: Mapping[str, Any], at: str, found: set[str], seen: tuple[str, ...]
) -> None:
    reference = str(schema.get("$ref", ""))
    target = _target(schema, root)
    if reference and reference in seen:
        return
    for name, child in _properties(target, root).items():
        path = f"{at}/{name}" if at else name
        found.add(path)
        _paths(child, root, path, found, (*seen, reference))
    if "items" in target:
        _paths(target["items"], root, at, found, (*seen, reference))


def _property(
    kind: str, path: str, schema: Mapping[str, Any], root: Mapping[str, Any], seen: tuple[str, ...]
) -> Iterator[Difference]:
    read_only = {p.removeprefix("/properties/").replace("/*", "") for p in root.get("readOnlyProperties", ())}
    if path in rows()[kind].apart or path in read_only or path.split("/")[-1] == "Tags":
        return
    place = place_of(kind, path)
    if place is None:
        yield Difference("unmapped", kind, path)
        return
    yield from _value(kind, path, _target(schema, root), root, place, seen)


def _value(
    kind: str,
    path: str,
    schema: Mapping[str, Any],
    root: Mapping[str, Any],
    place: Place,
    seen: tuple[str, ...],
) -> Iterator[Difference]:
    shape = shape_named(place.service, place.shape)["type"]
    key = f"{place.service}:{place.shape}"
    if "items" in schema and shape == "list":
        yield from _limits(kind, path, schema, place)
        yield from _value(kind, path, _target(schema["items"], root), root, place.item, seen)
    elif "items" in schema:
        yield from _value(kind, path, _target(schema["items"], root), root, place, seen)
    elif shape == "list" and place.named:
        yield from _value(kind, path, schema, root, place.item, seen)
    elif shape == "structure" and key not in seen:
        properties = _properties(schema, root)
        for name, child in properties.items():
            yield from _property(kind, f"{path}/{name}", child, root, (*seen, key))
        for member in missing(kind, path, place, properties) if properties else ():
            yield Difference("missing", kind, path, key, member)
    elif shape not in ("structure", "list", "map"):
        yield from _limits(kind, path, schema, place)


def _limits(kind: str, path: str, schema: Mapping[str, Any], place: Place) -> Iterator[Difference]:
    limits, key = limits_of(place.service, place.shape), f"{place.service}:{place.shape}"
    extra = sorted(set(map(str, schema.get("enum", ()))) - set(limits.values)) if limits.values else []
    if extra:
        yield Difference("words", kind, path, key, extra)
    least, most = _bounds(limits, schema)
    if limits.minimum is not None and least is not None and least < limits.minimum:
        yield Difference("least", kind, path, key, least)
    if limits.maximum is not None and most is not None and most > limits.maximum:
        yield Difference("most", kind, path, key, most)


def _bounds(limits: Limits, schema: Mapping[str, Any]) -> tuple[Any, Any]:
    low, high = _SIZES.get(limits.kind, ("minimum", "maximum"))
    return schema.get(low), schema.get(high)


def _target(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in schema:
        target: Any = root
        for part in schema["$ref"].lstrip("#/").split("/"):
            target = target[part]
        schema = target
    return schema


def _properties(schema: Mapping[str, Any], root: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    found = dict(schema.get("properties", {}))
    for word in ("allOf", "anyOf", "oneOf"):
        for choice in schema.get(word, ()):
            for name, child in _target(choice, root).get("properties", {}).items():
                found.setdefault(name, child)
    return found
