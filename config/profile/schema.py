"""The JSON Schema of a profile, and what it says about one place in one."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from config.diagnostics import Path
from config.profile.model import Profile


@functools.cache
def json_schema() -> dict[str, Any]:
    """The JSON Schema of a profile, for editors."""
    schema = Profile.model_json_schema(by_alias=True)
    schema["properties"] = {
        "extends": {"type": "string", "description": "A built-in profile or a file that this one builds on."},
        **schema["properties"],
    }
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "ultracluster profile"
    # a profile that extends another states only what differs
    schema["if"] = {"not": {"required": ["extends"]}}
    schema["then"] = {"required": schema.pop("required")}
    return schema


def _parts(schema: dict[str, Any], here: Any) -> Iterator[dict[str, Any]]:
    """The schemas that may describe a place: references followed, unions narrowed by the value's `kind`."""
    if "$ref" in schema:
        yield from _parts(json_schema()["$defs"][schema["$ref"].rsplit("/", 1)[-1]], here)
        return
    mapping = schema.get("discriminator", {}).get("mapping")
    kind = here.get("kind") if isinstance(here, dict) else None
    if mapping and isinstance(kind, str) and kind in mapping:
        yield from _parts({"$ref": mapping[kind]}, here)
        return
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        for option in options:
            yield from _parts(option, here)
        return
    yield schema


def _schemas_at(path: Path, data: Any) -> list[dict[str, Any]]:
    found = list(_parts(json_schema(), data))
    here = data
    for step in path:
        try:
            here = here[step]
        except (KeyError, IndexError, TypeError):
            here = None
        deeper = [
            s["items"] if isinstance(step, int) else s["properties"][step]
            for s in found
            if (isinstance(step, int) and "items" in s) or step in s.get("properties", {})
        ]
        found = [part for schema in deeper for part in _parts(schema, here)]
    return found


def keys_at(path: Path, data: Any) -> list[str]:
    """The keys that are known at a place."""
    return sorted({key for schema in _schemas_at(path, data) for key in schema.get("properties", {})})


def known_kinds(path: Path, data: Any) -> str:
    """The values of `kind` at a place, by comma; empty where there is none."""
    kinds = {
        str(s["properties"]["kind"].get("const"))
        for s in _schemas_at(path, data)
        if "kind" in s.get("properties", {})
    }
    return ", ".join(sorted(kinds))


def meaning_of(path: Path, data: Any) -> str:
    """What the key at a place means; empty when the schema does not say."""
    for schema in _schemas_at(path[:-1], data):
        described = schema.get("properties", {}).get(path[-1], {}) if path else {}
        if described.get("description"):
            return str(described["description"]).rstrip(".")
    return ""
