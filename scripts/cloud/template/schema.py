"""Validation of a resource's properties against the provider's schema, which cfn-lint ships."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import regex  # type: ignore[import-untyped]  # has no types
from jsonschema import Draft7Validator  # type: ignore[import-untyped]  # has no types
from jsonschema.exceptions import ValidationError  # type: ignore[import-untyped]  # has no types
from jsonschema.validators import extend  # type: ignore[import-untyped]  # has no types

from .custom_types import as_strings, is_custom
from .errors import ResourceFailedError
from .functions import KNOWN_AFTER_APPLY
from .provider_schemas import known_schema, schema_of

# CDK's own record of versions: CloudFormation accepts it without an effect
NO_SCHEMA = frozenset({"AWS::CDK::Metadata"})
# properties that identify the items of an unordered list
ITEM_NAMES = ("InstanceGroupName", "Key", "PolicyName", "ParameterName", "DeviceName", "Name", "Id")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")


def _reads(pattern: str, text: str) -> bool:
    """Return whether a schema's pattern occurs in a text; `re` does not support its Unicode classes."""
    return regex.search(pattern, text) is not None


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not _reads(pattern, instance):
        yield ValidationError(f"string [{instance}] does not match pattern {pattern}")


def _additional(validator: Any, allowed: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if not isinstance(instance, dict) or allowed is not False:
        return
    patterns = schema.get("patternProperties", {})
    for key in instance:
        if key not in schema.get("properties", {}) and not any(_reads(p, key) for p in patterns):
            yield ValidationError(f"extraneous key [{key}] is not permitted")


def _named_by_pattern(validator: Any, patterns: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    for pattern, child in patterns.items() if isinstance(instance, dict) else ():
        for key, value in instance.items():
            if _reads(pattern, key):
                yield from validator.descend(value, child, path=key, schema_path=pattern)


_Validator = extend(
    Draft7Validator,
    {"pattern": _pattern, "patternProperties": _named_by_pattern, "additionalProperties": _additional},
)


@lru_cache(maxsize=512)
def _validator(region: str, resource_type: str) -> Any:
    return _Validator(dict(schema_of(region, resource_type)))


def validated(region: str, resource_type: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties with the schema's types; raises ResourceFailedError with every invalid path."""
    if resource_type in NO_SCHEMA:
        return dict(properties)
    # most resources of an updated stack have the same properties as before
    typed, problems = _validation(region, resource_type, json.dumps(properties))
    if problems:
        raise ResourceFailedError(f"Properties validation failed for {resource_type}: [{problems}]")
    found: dict[str, Any] = json.loads(typed)
    return found


@lru_cache(maxsize=2048)
def _validation(region: str, resource_type: str, text: str) -> tuple[str, str]:
    """Return the properties with the schema's types, and their problems, both as texts."""
    schema = schema_of(region, resource_type)
    coerced = as_typed(resource_type, json.loads(text), schema)
    problems = [
        f"#/{'/'.join(str(part) for part in error.absolute_path)}: {error.message}"
        for error in _validator(region, resource_type).iter_errors(coerced)
        if KNOWN_AFTER_APPLY not in str(error.instance)
    ]
    problems += [f"#/{path}: read-only property cannot be set" for path in _read_only_set(schema, coerced)]
    problems += [
        f"#/{'/'.join(path[:-1])}: extraneous key [{path[-1]}] is not permitted"
        for path in _extraneous(coerced, schema, schema)
    ]
    return json.dumps(coerced), "; ".join(sorted(problems))


def _extraneous(
    value: Any, schema: Mapping[str, Any], root: Mapping[str, Any], path: tuple[str, ...] = ()
) -> Iterator[tuple[str, ...]]:
    """Yield the path of each unknown key that the schema neither allows nor forbids."""
    schema = follow(schema, root)
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from _extraneous(item, schema.get("items", {}), root, (*path, str(number)))
    named = schema.get("properties")
    if not isinstance(value, dict) or not named:
        return
    is_open = "additionalProperties" in schema or "patternProperties" in schema
    for key, item in value.items():
        if key in named:
            yield from _extraneous(item, named[key], root, (*path, key))
        elif not is_open:
            yield (*path, key)


def follow(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema with its references resolved."""
    while "$ref" in schema:
        target: Any = root
        for part in schema["$ref"].lstrip("#/").split("/"):
            target = target[part]
        schema = target
    return schema


def as_typed(resource_type: str, properties: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the properties to the schema's types; those of a custom resource are converted to strings."""
    received = as_strings(properties) if is_custom(resource_type) else properties
    typed: dict[str, Any] = _coerced(received, schema, schema)
    return typed


def _coerced(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    """Convert "true" to true and 1 to "1", as CloudFormation does, if the schema has a single type."""
    schema = follow(schema, root)
    if isinstance(value, dict):
        named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
        return {key: _coerced(item, _child(key, named, patterns), root) for key, item in value.items()}
    if isinstance(value, list):
        return [_coerced(item, schema.get("items", {}), root) for item in value]
    return _scalar(value, schema.get("type"))


def _child(key: str, named: Mapping[str, Any], patterns: Mapping[str, Any]) -> Mapping[str, Any]:
    if key in named:
        return dict(named[key])
    return next((dict(schema) for pattern, schema in patterns.items() if _reads(pattern, key)), {})


def _scalar(value: Any, kind: Any) -> Any:
    if kind == "string" and isinstance(value, bool):
        return "true" if value else "false"
    if kind == "string" and isinstance(value, int | float):
        return str(value)
    if kind == "boolean" and value in ("true", "false"):
        return value == "true"
    if kind in ("integer", "number") and isinstance(value, str) and _NUMBER.fullmatch(value):
        return float(value) if "." in value else int(value)
    return value


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each leaf of a value with its path; an empty mapping or list is a leaf."""
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    if not items:
        yield path, value
    for key, item in items:
        yield from leaves(item, (*path, str(key)))


def matches(pattern: str, path: tuple[str, ...]) -> bool:
    """Return whether a path is the path in `pattern` or below it."""
    wanted = pattern.removeprefix("/properties/").split("/")
    return len(path) >= len(wanted) and all(w in ("*", p) for w, p in zip(wanted, path, strict=False))


def _read_only_set(schema: Mapping[str, Any], properties: Mapping[str, Any]) -> list[str]:
    patterns = schema.get("readOnlyProperties", [])
    return sorted("/".join(path) for path, _ in leaves(properties) if any(matches(p, path) for p in patterns))


def changed_paths(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Return the path of each leaf that differs between two sets of properties."""
    before, after = dict(leaves(old)), dict(leaves(new))
    return sorted(
        path for path in before.keys() | after.keys() if before.get(path) != after.get(path) and path
    )


def value_at(properties: Any, path: tuple[str, ...]) -> Any:
    """Return the value at a path; a list item's step is its index or name. None if the value is absent."""
    for part in path:
        if isinstance(properties, Mapping):
            properties = properties.get(part)
        elif isinstance(properties, list):
            properties = _item(properties, part)
        else:
            return None
    return properties


def _item(items: list[Any], part: str) -> Any:
    named = [i for i in items if isinstance(i, Mapping) and part in (i.get(key) for key in ITEM_NAMES)]
    if named:
        return named[0]
    return items[int(part)] if part.isdigit() and int(part) < len(items) else None


def is_create_only(region: str, resource_type: str, path: tuple[str, ...]) -> bool:
    """Return whether a change of this property replaces the resource."""
    return _listed(region, resource_type, "createOnlyProperties", path)


def may_be_create_only(region: str, resource_type: str, path: tuple[str, ...]) -> bool:
    """Return whether a change of this property replaces the resource in some cases."""
    return _listed(region, resource_type, "conditionalCreateOnlyProperties", path)


def _listed(region: str, resource_type: str, keyword: str, path: tuple[str, ...]) -> bool:
    schema = known_schema(region, resource_type) or {}
    return any(matches(pattern, path) for pattern in schema.get(keyword, []))
