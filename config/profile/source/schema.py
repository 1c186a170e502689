"""The JSON Schema of a profile, and queries about one location in the profile."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from annotated_types import MaxLen, MinLen

from config.diagnostics import Path
from config.profile.base import LOG_RETENTION_DAYS, Model
from config.profile.model import Profile


@functools.cache
def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a profile."""
    schema = Profile.model_json_schema(by_alias=True)
    schema["properties"] = {
        "extends": {
            "type": "string",
            "description": "Base profile: the name of a built-in profile or the path of a file.",
        },
        **schema["properties"],
    }
    _say_kinds(schema)
    _bound_lists(schema)
    _close_sets(schema)
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "ultracluster profile"
    # a profile with `extends` sets only the keys that differ
    schema["if"] = {"not": {"required": ["extends"]}}
    schema["then"] = {"required": schema.pop("required")}
    return schema


def _say_kinds(schema: dict[str, Any]) -> None:
    """Set the description of every `kind` to the description of its form."""
    for form in schema["$defs"].values():
        kind = form.get("properties", {}).get("kind")
        if kind is not None:
            kind["description"] = f"Selects this form: {lower_first(form['description'])}"


def lower_first(text: str) -> str:
    """Return a sentence whose first letter is lower-case; an acronym at the start is not changed."""
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _bound_lists(schema: dict[str, Any]) -> None:
    """Add the limits of lists, which pydantic omits if a list is converted to a tuple."""
    forms = {"Profile": schema, **schema["$defs"]}
    for model in _models(Model):
        for name, field in model.model_fields.items():
            value = forms.get(model.__name__, {}).get("properties", {}).get(field.alias or name, {})
            for limit in field.metadata if value.get("type") == "array" else ():
                value |= {"minItems": limit.min_length} if isinstance(limit, MinLen) else {}
                value |= {"maxItems": limit.max_length} if isinstance(limit, MaxLen) else {}


def _models(base: type[Model]) -> Iterator[type[Model]]:
    for model in base.__subclasses__():
        yield model
        yield from _models(model)


def _close_sets(schema: dict[str, Any]) -> None:
    """Add the values that only rules check, so that an editor suggests them."""
    from config.catalog import catalog  # imported only when the schema is requested

    forms = schema["$defs"]
    tiers = sorted({tier for kind in catalog().lustre.kinds if kind.states_tier for tier in kind.tiers})
    for form in ("NewLustre", "ExistingLustre"):
        declared, _ = forms[form]["properties"]["throughput_mbps_per_tib"]["anyOf"]
        declared["enum"] = tiers
    for form, key in (("NewNetwork", "flow_log_retention_days"), ("Observability", "log_retention_days")):
        forms[form]["properties"][key]["enum"] = list(LOG_RETENTION_DAYS)
    types = forms["Group"]["properties"]["instance_type"]
    types["examples"] = sorted(name for name, row in catalog().instances.items() if row.is_gpu)
    for form in ("CapacityBlock", "TrainingPlan"):
        forms[form]["properties"]["ultraserver"]["examples"] = sorted(catalog().ultraservers)


def _parts(schema: dict[str, Any], here: Any) -> Iterator[dict[str, Any]]:
    """Yield the schemas of a place; references are resolved, and unions are narrowed by the value's `kind`."""
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


def _schemas_at(path: Path, data: Any, *, any_kind: bool = False) -> list[dict[str, Any]]:
    """Return the schemas of a place for the value's kind; if `any_kind` is True, for all allowed kinds."""
    found = list(_parts(json_schema(), data))
    here = data
    for number, step in enumerate(path, start=1):
        try:
            here = here[step]
        except (KeyError, IndexError, TypeError):
            here = None
        deeper = [
            s["items"] if isinstance(step, int) else s["properties"][step]
            for s in found
            if (isinstance(step, int) and "items" in s) or step in s.get("properties", {})
        ]
        seen = None if any_kind and number == len(path) else here
        found = [part for schema in deeper for part in _parts(schema, seen)]
    return found


def keys_at(path: Path, data: Any) -> list[str]:
    """Return the known keys of a place."""
    return sorted({key for schema in _schemas_at(path, data) for key in schema.get("properties", {})})


def kinds_with(key: str, path: Path, data: Any) -> list[str]:
    """Return the other kinds of a mapping that have a key; empty if the mapping has only one kind."""
    forms = _schemas_at(path[:-1], data, any_kind=True)
    return sorted(
        form["properties"]["kind"]["const"]
        for form in forms
        if key in form.get("properties", {})
        and "const" in form["properties"].get("kind", {})
        and len(forms) > 1
    )


def known_kinds(path: Path, data: Any) -> str:
    """Return the values of `kind` at a place, separated by commas; empty if it has no `kind`."""
    kinds = {
        str(s["properties"]["kind"].get("const"))
        for s in _schemas_at(path, data)
        if "kind" in s.get("properties", {})
    }
    return ", ".join(sorted(kinds))


def required_at(path: Path, data: Any, kind: str | None = None) -> list[str]:
    """Return the required keys of a mapping, without `kind`; if `kind` is set, the keys of that kind."""
    forms = _schemas_at(path, data, any_kind=kind is not None)
    wanted = [
        form for form in forms if kind in (None, form.get("properties", {}).get("kind", {}).get("const"))
    ]
    return [key for form in wanted[:1] for key in form.get("required", ()) if key != "kind"]


def meaning_of(path: Path, data: Any) -> str:
    """Return the description of a key; empty if the schema does not have one."""
    for schema in _schemas_at(path[:-1], data):
        described = schema.get("properties", {}).get(path[-1], {}) if path else {}
        if described.get("description"):
            return str(described["description"]).rstrip(".")
    return ""
