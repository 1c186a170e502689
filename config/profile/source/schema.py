"""The JSON Schema of a profile, and what it says about one place in one."""

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
    """The JSON Schema of a profile, for editors."""
    schema = Profile.model_json_schema(by_alias=True)
    schema["properties"] = {
        "extends": {"type": "string", "description": "A built-in profile or a file that this one builds on."},
        **schema["properties"],
    }
    _say_kinds(schema)
    _bound_lists(schema)
    _close_sets(schema)
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "ultracluster profile"
    # a profile that extends another states only what differs
    schema["if"] = {"not": {"required": ["extends"]}}
    schema["then"] = {"required": schema.pop("required")}
    return schema


def _say_kinds(schema: dict[str, Any]) -> None:
    """Every `kind` says what its form is, in the words of the form."""
    for form in schema["$defs"].values():
        kind = form.get("properties", {}).get("kind")
        if kind is not None:
            kind["description"] = f"Says that this is: {lower_first(form['description'])}"


def lower_first(text: str) -> str:
    """A sentence as it goes on after a colon; a name of capitals stays."""
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _bound_lists(schema: dict[str, Any]) -> None:
    """The bounds of lists, which pydantic leaves out where a list becomes a tuple first."""
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
    """Values that only a rule refuses stand in the schema too, so that an editor offers them."""
    from config.catalog import catalog  # the facts are read only where the schema is asked for

    forms = schema["$defs"]
    tiers = sorted({tier for kind in catalog().lustre.kinds if kind.states_tier for tier in kind.tiers})
    for form in ("NewLustre", "ExistingLustre"):
        stated, _ = forms[form]["properties"]["throughput_mbps_per_tib"]["anyOf"]
        stated["enum"] = tiers
    for form, key in (("NewNetwork", "flow_log_retention_days"), ("Observability", "log_retention_days")):
        forms[form]["properties"][key]["enum"] = list(LOG_RETENTION_DAYS)
    types = forms["Group"]["properties"]["instance_type"]
    types["examples"] = sorted(name for name, row in catalog().instances.items() if row.is_gpu)
    for form in ("CapacityBlock", "TrainingPlan"):
        forms[form]["properties"]["ultraserver"]["examples"] = sorted(catalog().ultraservers)


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


def _schemas_at(path: Path, data: Any, *, any_kind: bool = False) -> list[dict[str, Any]]:
    """The schemas of a place; `any_kind`: of all kinds that can stand there, not only of the one that does."""
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
    """The keys that are known at a place."""
    return sorted({key for schema in _schemas_at(path, data) for key in schema.get("properties", {})})


def kinds_with(key: str, path: Path, data: Any) -> list[str]:
    """The other kinds of the mapping at a place that have a key, where the mapping is one of several kinds."""
    forms = _schemas_at(path[:-1], data, any_kind=True)
    return sorted(
        form["properties"]["kind"]["const"]
        for form in forms
        if key in form.get("properties", {})
        and "const" in form["properties"].get("kind", {})
        and len(forms) > 1
    )


def known_kinds(path: Path, data: Any) -> str:
    """The values of `kind` at a place, by comma; empty where there is none."""
    kinds = {
        str(s["properties"]["kind"].get("const"))
        for s in _schemas_at(path, data)
        if "kind" in s.get("properties", {})
    }
    return ", ".join(sorted(kinds))


def required_at(path: Path, data: Any, kind: str | None = None) -> list[str]:
    """The keys that a mapping at a place must have, beside `kind`: of that kind, where it is one of several."""
    forms = _schemas_at(path, data, any_kind=kind is not None)
    wanted = [
        form for form in forms if kind in (None, form.get("properties", {}).get("kind", {}).get("const"))
    ]
    return [key for form in wanted[:1] for key in form.get("required", ()) if key != "kind"]


def meaning_of(path: Path, data: Any) -> str:
    """What the key at a place means; empty when the schema does not say."""
    for schema in _schemas_at(path[:-1], data):
        described = schema.get("properties", {}).get(path[-1], {}) if path else {}
        if described.get("description"):
            return str(described["description"]).rstrip(".")
    return ""
