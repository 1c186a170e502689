"""Mutations of profiles: each changes one value or key, as mistakes of users and tools do."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from pathlib import Path as File
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from scripts.tools.fuzz.values.schema_values import (
    ROOT,
    definition,
    every_key,
    model_at,
    of_key,
    options,
    values_of,
)

Data = dict[str, Any]
Path = tuple[str | int, ...]
_KEYS = sorted({name.partition(".")[2] for name in every_key()})

_TEXTS = json.loads(File(__file__).with_name("hostile.json").read_text(encoding="utf-8"))
HOSTILE: tuple[str, ...] = (*_TEXTS, "\u00df" * 33, "a" * 255, "x" * 70_000)
"""Texts that break careless code, such as control characters, non-Latin letters and YAML syntax."""

_WHOLE = (-1, 0, 1, 2, 2**31, 2**63, 10**30, -(10**29))
NUMBERS = (*_WHOLE, 0.5, -0.0, 1e308, -1e308, 5e-324, 1.0, 16.0, math.nan, math.inf, -math.inf)
_EMPTY: tuple[Any, ...] = (None, "", [], {}, [[]], [{}], [None], {"": None}, {"kind": None})
OTHERS: tuple[Any, ...] = (*_EMPTY, True, False, "new", "existing")


def wrong_values() -> st.SearchStrategy[Any]:
    """Generate values that are wrong for most keys."""
    return st.sampled_from(HOSTILE) | st.sampled_from(NUMBERS) | st.sampled_from(OTHERS) | nested()


def nested() -> st.SearchStrategy[Any]:
    """Generate nested values, some deeper than the loader reads."""
    return st.builds(_nest, st.integers(1, 80), st.booleans())


def _nest(depth: int, lists: bool) -> Any:
    value: Any = None
    for _ in range(depth):
        value = [value] if lists else {"a": value}
    return value


def places_in(data: Any, at: Path = ()) -> list[Path]:
    """Return the path of each value in the data; the path of the whole data is not included."""
    steps: list[tuple[str | int, Any]] = []
    if isinstance(data, dict):
        steps = list(data.items())
    elif isinstance(data, list):
        steps = list(enumerate(data))
    return [place for step, inner in steps for place in ((*at, step), *places_in(inner, (*at, step)))]


def key_at(data: Any, at: Path) -> tuple[str, str] | None:
    """Return the model and the key at a path; None if the schema does not have the key."""
    holder = data
    for step in at[:-1]:
        holder = holder[step]
    for schema in schemas_at(data, at[:-1]):
        found = model_at(schema, holder)
        if found and at[-1] in found[1]["properties"]:
            return found[0], str(at[-1])
    return None


def schemas_at(data: Any, at: Path) -> list[Any]:
    """Return the schemas of the value at a path; empty if the profile schema does not have the path."""
    here, schemas = data, [{"$ref": f"#/$defs/{ROOT}"}]
    for step in at:
        found = [model_at(schema, here) for schema in schemas]
        if isinstance(step, str):
            schemas = [f[1]["properties"][step] for f in found if f and step in f[1]["properties"]]
        else:
            schemas = [option["items"] for s in schemas for option in options(s) if "items" in option]
        here = here[step]
    return schemas


@st.composite
def with_other_values(draw: DrawFn, data: Data, times: int) -> tuple[Data, tuple[str, ...]]:
    """Replace values with others that the schema accepts, so that only a rule can report them."""
    changed = copy.deepcopy(data)
    for _ in range(times):
        at = draw(st.sampled_from(places_in(changed)))
        holder: Any = changed
        for step in at[:-1]:
            holder = holder[step]
        draw(st.sampled_from([_by_schema, _by_schema, _another_key, _repeat]))(draw, changed, holder, at)
    return changed, ("other values of the schema",)


def _another_key(draw: DrawFn, root: Data, holder: Any, at: Path) -> None:
    """Add a key that the schema allows here."""
    known = key_at(root, at)
    if known and isinstance(holder, dict):
        key = draw(st.sampled_from(sorted(definition(known[0])["properties"])))
        holder[key] = draw(of_key(known[0], key))


@st.composite
def mutated(draw: DrawFn, data: Data, times: int) -> tuple[Data, tuple[str, ...]]:
    """Apply mutations; return the data and the names of the mutations."""
    changed = copy.deepcopy(data)
    done: list[str] = []
    for _ in range(times):
        places = places_in(changed)
        if not places:
            break
        at = draw(st.sampled_from(places))
        name = draw(st.sampled_from(sorted(_MUTATIONS)))
        holder: Any = changed
        for step in at[:-1]:
            holder = holder[step]
        _MUTATIONS[name](draw, changed, holder, at)
        done.append(name)
    return changed, tuple(done)


def _drop(_draw: DrawFn, _root: Data, holder: Any, at: Path) -> None:
    del holder[at[-1]]


def _replace(draw: DrawFn, _root: Data, holder: Any, at: Path) -> None:
    holder[at[-1]] = draw(wrong_values())


def _by_schema(draw: DrawFn, root: Data, holder: Any, at: Path) -> None:
    """Set another value that the schema accepts here."""
    known, schemas = key_at(root, at), schemas_at(root, at)
    if known:
        holder[at[-1]] = draw(of_key(*known))
    else:
        holder[at[-1]] = draw(values_of(schemas[0])) if schemas else draw(wrong_values())


def _out_of_bounds(draw: DrawFn, root: Data, holder: Any, at: Path) -> None:
    wanted: list[Any] = []
    for schema in schemas_at(root, at):
        for option in options(schema):
            wanted += [option[k] - 1 for k in ("minimum", "exclusiveMinimum") if k in option]
            wanted += [option[k] + 1 for k in ("maximum", "exclusiveMaximum") if k in option]
            wanted += ["x" * (option["maxLength"] + 1)] if "maxLength" in option else []
            wanted += [[]] if "minItems" in option else []
            if option.get("type") == "array" and isinstance(holder[at[-1]], list) and holder[at[-1]]:
                wanted.append(holder[at[-1]] * (option.get("maxItems", 8) + 1))
    holder[at[-1]] = draw(st.sampled_from(wanted)) if wanted else draw(st.sampled_from(NUMBERS))


def _other_kind(draw: DrawFn, root: Data, holder: Any, at: Path) -> None:
    inside = holder[at[-1]]
    target = inside if isinstance(inside, dict) else holder if isinstance(holder, dict) else root
    target["kind"] = draw(
        st.sampled_from(
            ["new", "existing", "managed", "eks", "spot", "odcr", "training-plan", "New", "", None, 1]
        )
    )


def _unknown_key(draw: DrawFn, root: Data, holder: Any, at: Path) -> None:
    target = holder if isinstance(holder, dict) else root
    key = draw(st.sampled_from(_KEYS) | st.sampled_from(HOSTILE))
    spelt = draw(st.sampled_from([key, key[1:], f"{key}s", key.upper(), f"{key}_tib", key.replace("_", "-")]))
    target[spelt] = draw(wrong_values() | st.just(holder[at[-1]]))


def _rename(draw: DrawFn, _root: Data, holder: Any, at: Path) -> None:
    if isinstance(holder, dict):
        key = str(at[-1])
        units = [key.replace("_gib", "_tib"), key.replace("_days", ""), f"{key}x", key.replace("_", "")]
        holder[draw(st.sampled_from(units))] = holder.pop(key)


def _repeat(_draw: DrawFn, _root: Data, holder: Any, at: Path) -> None:
    inside = holder[at[-1]]
    if isinstance(inside, list):
        inside += copy.deepcopy(inside)
    elif isinstance(holder, list):
        holder.append(copy.deepcopy(inside))
    else:
        holder[at[-1]] = [inside, copy.deepcopy(inside)]


def _as_text(_draw: DrawFn, _root: Data, holder: Any, at: Path) -> None:
    inside = holder[at[-1]]
    holder[at[-1]] = [inside] if isinstance(inside, str | dict | list) else str(inside)


def _move(draw: DrawFn, root: Data, holder: Any, at: Path) -> None:
    """Copy a value from another path to here."""
    other: Any = root
    for step in draw(st.sampled_from(places_in(root))):
        other = other[step]
    holder[at[-1]] = copy.deepcopy(other)


def _nothing(_draw: DrawFn, root: Data, holder: Any, at: Path) -> None:
    holder[at[-1]] = None


def _all_nothing(_draw: DrawFn, _root: Data, holder: Any, _at: Path) -> None:
    for step in holder if isinstance(holder, dict) else range(len(holder)):
        holder[step] = None


_MUTATIONS: dict[str, Callable[[DrawFn, Data, Any, Path], None]] = {
    "a key dropped": _drop,
    "a wrong value": _replace,
    "another value of the schema": _by_schema,
    "out of bounds": _out_of_bounds,
    "another kind": _other_kind,
    "an unknown key": _unknown_key,
    "a key misspelt": _rename,
    "repeated": _repeat,
    "in another type": _as_text,
    "a value from elsewhere": _move,
    "null": _nothing,
    "null everywhere": _all_nothing,
}
