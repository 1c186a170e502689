"""The JSON Schema for editors, in which a profile with `extends` can omit required keys at every level."""

from __future__ import annotations

import copy
import functools
from typing import Any

from config.profile.source.schema import json_schema

_PARTIAL = "Partial"
Schema = dict[str, Any]


@functools.cache
def editor_schema() -> Schema:
    """Return the schema. With `extends`, mappings can be incomplete, but list items must be complete."""
    whole = copy.deepcopy(json_schema())
    forms: Schema = whole.pop("$defs")
    required = whole.pop("then")["required"]
    del whole["if"]
    head = {key: whole.pop(key) for key in ("$schema", "title", "description")}
    partial = {f"{_PARTIAL}{name}": _partial(form) for name, form in forms.items()}
    return {
        **head,
        "if": {"required": ["extends"]},
        "then": {"$ref": f"#/$defs/{_PARTIAL}Profile"},
        "else": {"$ref": "#/$defs/Profile"},
        "$defs": {
            **forms,
            **partial,
            "Profile": {**whole, "required": required},
            f"{_PARTIAL}Profile": _partial(whole),
        },
    }


def _partial(schema: Any) -> Any:
    """Return the schema without required keys, except in list items."""
    if isinstance(schema, list):
        return [_partial(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {}
    for key, value in schema.items():
        if key == "items":
            found[key] = value
        elif key == "$ref":
            found[key] = value.replace("#/$defs/", f"#/$defs/{_PARTIAL}")
        elif key == "discriminator":
            continue  # a mapping without `kind` matches several forms
        elif key == "oneOf":
            found["anyOf"] = _partial(value)
        elif key != "required" or not isinstance(value, list):
            found[key] = _partial(value)
    return found
