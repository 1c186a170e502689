"""Values for each key of the profile schema, generated from the schema, so that new keys are included."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from config.profile.source.schema import json_schema
from scripts.tools.fuzz.values.typical import TYPICAL

_WORD = r"[A-Za-z][A-Za-z0-9]{2,8}"
_LONGEST_LIST = 4
_LARGEST = 10_000
ROOT = "Profile"
"""The name of the whole profile in `definitions`."""

Schema = Mapping[str, Any]


def definition(name: str) -> Schema:
    """Return the schema of a model."""
    schema: Schema = json_schema() if name == ROOT else json_schema()["$defs"][name]
    return schema


def definitions() -> dict[str, Schema]:
    """Return the schema of each model, including the whole profile."""
    return {name: definition(name) for name in (ROOT, *json_schema()["$defs"])}


def every_key() -> set[str]:
    """Return each key that a profile can have, as `Model.key`."""
    return {f"{name}.{key}" for name, model in definitions().items() for key in model["properties"]}


def options(schema: Schema) -> Iterator[Schema]:
    """Yield the alternatives of a schema, with references resolved."""
    if "$ref" in schema:
        yield {**definition(_named(schema)), "title": _named(schema)}
    elif alternatives := schema.get("anyOf") or schema.get("oneOf"):
        for alternative in alternatives:
            yield from options(alternative)
    else:
        yield schema


def model_at(schema: Schema, value: Any) -> tuple[str, Schema] | None:
    """Return the name and schema of the model that has the mapping's `kind`; None if no model has it."""
    models = [option for option in options(schema) if "properties" in option]
    if not isinstance(value, dict) or not models:
        return None
    for model in models:
        if model["properties"].get("kind", {}).get("const") == value.get("kind"):
            return str(model["title"]), model
    return None


def keys_in(value: Any, schema: Schema | None = None) -> Iterator[str]:
    """Yield the keys of the schema that a value sets, as `Model.key`."""
    found = model_at({"$ref": f"#/$defs/{ROOT}"} if schema is None else schema, value)
    if found:
        name, model = found
        for key in value:
            if key in model["properties"]:
                yield f"{name}.{key}"
                yield from keys_in(value[key], model["properties"][key])
    elif isinstance(value, list) and schema is not None:
        for option in options(schema):
            for item in value if "items" in option else ():
                yield from keys_in(item, option["items"])


def values_of(schema: Schema) -> SearchStrategy[Any]:
    """Generate values that a schema accepts."""
    if "$ref" in schema:
        return of_model(_named(schema))
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    alternatives = schema.get("anyOf") or schema.get("oneOf")
    if alternatives:
        return st.one_of([values_of(alternative) for alternative in alternatives])
    return _of_type(schema)


@cache
def of_model(name: str) -> SearchStrategy[dict[str, Any]]:
    """Generate mappings of a model, with the required keys and some optional keys."""
    model = definition(name)
    required = set(model.get("required", model.get("then", {}).get("required", ())))
    if "kind" in model["properties"]:
        required.add("kind")
    made = {key: of_key(name, key) for key in model["properties"]}
    return st.deferred(
        lambda: st.fixed_dictionaries(
            {key: value for key, value in made.items() if key in required},
            optional={key: value for key, value in made.items() if key not in required},
        )
    )


def of_key(model: str, key: str) -> SearchStrategy[Any]:
    """Generate values of a key: any that the schema accepts, and often typical ones if the key has some."""
    by_schema = st.deferred(lambda: values_of(definition(model)["properties"][key]))
    known = TYPICAL.get(f"{model}.{key}", TYPICAL.get(key))
    return by_schema if known is None else st.one_of(known, known, known, by_schema)


def _named(schema: Schema) -> str:
    return str(schema["$ref"]).rsplit("/", 1)[-1]


def _of_type(schema: Schema) -> SearchStrategy[Any]:
    kind = schema.get("type")
    if kind == "string":
        return _texts(schema)
    if kind == "integer":
        least = schema.get("minimum", 0)
        most = schema.get("maximum", _LARGEST)
        return (
            st.sampled_from([least, most])
            | st.integers(least, min(most, least + 64))
            | st.integers(least, most)
        )
    if kind == "number":
        above = schema.get("exclusiveMinimum")
        return st.floats(
            above if above is not None else schema.get("minimum", 0),
            schema.get("maximum", _LARGEST),
            exclude_min=above is not None,
        )
    if kind == "array":
        most = min(schema.get("maxItems", _LONGEST_LIST), _LONGEST_LIST)
        return st.lists(values_of(schema["items"]), min_size=schema.get("minItems", 0), max_size=most)
    if kind == "object":  # a map with any keys that match a pattern
        named = schema.get("patternProperties") or {_WORD: schema.get("additionalProperties")}
        ((pattern, inner),) = named.items()
        return st.dictionaries(st.from_regex(pattern, fullmatch=True), values_of(inner), max_size=2)
    return st.booleans() if kind == "boolean" else st.none()


def _texts(schema: Schema) -> SearchStrategy[str]:
    if "pattern" in schema:
        made = st.from_regex(str(schema["pattern"]), fullmatch=True)
        longest = schema.get("maxLength")
        return made.map(lambda text: text[:longest]) if longest else made
    return st.text(
        "abc-/._: ", min_size=schema.get("minLength", 0), max_size=min(schema.get("maxLength", 12), 12)
    )
