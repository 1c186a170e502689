"""Page docs/reference/profiles.md: an introduction (intro.md), and every key from the models."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from config.profile.base import FORMS
from config.profile.source.schema import json_schema
from scripts.tools.docs.markdown import page, table

_INTRO = Path(__file__).parent / "intro.md"
_HEAD = ("key", "value", "default", "meaning")

Schema = dict[str, Any]


def profile_page() -> str:
    """Return the introduction, then one section for each mapping of a profile."""
    schema = json_schema()
    required = [*schema["then"]["required"]]
    rows = _rows("", {**schema, "required": required})
    parts = [
        _INTRO.read_text(encoding="utf-8").strip(),
        "## All keys",
        "### The profile",
        table(_HEAD, rows),
    ]
    return page("Profiles", *parts, *_sections("", schema))


def _sections(path: str, schema: Schema) -> Iterator[str]:
    """Yield the sections of the mappings below a path, in the order of the models."""
    for key, described in schema.get("properties", {}).items():
        inside = f"{path}{key}"
        models = list(_models(described))
        inside += "[]" if _is_list(described) else ""
        for model in models:
            kind = model["properties"].get("kind", {}).get("const")
            title = f"### `{inside}`" + (f", kind `{kind}`" if kind and len(models) > 1 else "")
            yield f"{title}\n\n{model['description']}"
            yield table(_HEAD, _rows(f"{inside}.", model))
            yield from _sections(f"{inside}.", model)


def _rows(path: str, schema: Schema) -> Iterator[tuple[str, str, str, str]]:
    for key, described in schema["properties"].items():
        default = "required" if key in schema.get("required", ()) else _default(described.get("default"))
        meaning = "Selects the form of this mapping." if key == "kind" else described["description"]
        yield f"`{path}{key}`", _value(described), default, meaning


def _default(value: Any) -> str:
    if value is None or value == "":
        return "-"
    if isinstance(value, dict):
        return "`{" + ", ".join(f"{key}: {inner}" for key, inner in value.items()) + "}`"
    return f"`{value if isinstance(value, str) else json.dumps(value)}`"


def _value(schema: Schema) -> str:
    """Return the allowed values of a key as text."""
    options = [option for option in _options(schema) if option.get("type") != "null"]
    if len(options) == 1 and options[0] is not schema:
        return _value(options[0])
    if "$ref" in schema or len(options) > 1:
        properties = [model["properties"] for model in _models(schema)]
        kinds = [keys["kind"]["const"] for keys in properties if "kind" in keys]
        return "mapping" + (f", kind {_listed(kinds)}" if kinds else "")
    if "const" in schema or "enum" in schema:
        return _listed(schema.get("enum", [schema.get("const")]))
    if schema["type"] == "array":
        return f"list of {_value(schema['items'])}" + _bounds(schema, "minItems", "maxItems")
    return _scalar(schema)


def _scalar(schema: Schema) -> str:
    if "pattern" in schema:
        longest = f", at most {schema['maxLength']} characters" if "maxLength" in schema else ""
        return FORMS[schema["pattern"]] + longest
    word = {"integer": "whole number", "number": "number", "boolean": "true or false", "string": "text"}
    word["object"] = "settings by name"
    if schema["type"] in ("integer", "number"):
        above = f", above {schema['exclusiveMinimum']:g}" if "exclusiveMinimum" in schema else ""
        return word[schema["type"]] + _bounds(schema, "minimum", "maximum") + above
    return word[schema["type"]]


def _bounds(schema: Schema, least: str, most: str) -> str:
    low, high = schema.get(least), schema.get(most)
    if low is not None and high is not None:
        return f", {low} to {high}"
    return f", at least {low}" if low is not None else f", at most {high}" if high is not None else ""


def _listed(values: list[Any]) -> str:
    return ", ".join(f"`{value}`" for value in values)


def _options(schema: Schema) -> list[Schema]:
    options: list[Schema] = schema.get("anyOf") or schema.get("oneOf") or [schema]
    return options


def _is_list(schema: Schema) -> bool:
    return any(option.get("type") == "array" for option in _options(schema))


def _models(schema: Schema) -> Iterator[Schema]:
    """Yield the models of a key, through references, unions and lists."""
    if "$ref" in schema:
        yield json_schema()["$defs"][schema["$ref"].rsplit("/", 1)[-1]]
    elif "anyOf" in schema or "oneOf" in schema:
        for option in _options(schema):
            yield from _models(option)
    elif schema.get("type") == "array":
        yield from _models(schema["items"])
