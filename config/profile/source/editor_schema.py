"""The JSON Schema that editors read: a profile that extends another states only what differs, at every depth."""

from __future__ import annotations

import copy
import functools
from typing import Any

from config.profile.source.schema import json_schema

_PARTIAL = "Partial"
Schema = dict[str, Any]


@functools.cache
def editor_schema() -> Schema:
    """The whole schema. With `extends` no mapping must be complete; items of lists must, since lists replace."""
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
    """The same without what must be stated, down to the items of lists."""
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
            continue  # without its kind a mapping fits several forms
        elif key == "oneOf":
            found["anyOf"] = _partial(value)
        elif key != "required" or not isinstance(value, list):
            found[key] = _partial(value)
    return found
