"""The shape of a profile: keys, types, closed sets, bounds. What pydantic found, in the user's own words."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from config.diagnostics import Code, Diagnostic, Path, format_path
from config.profile import codes
from config.profile.merge import Layered
from config.profile.model import Profile
from config.profile.reference import nearest

_UNITS = ("gib", "tib", "gb", "tb", "mib", "mb", "mbps", "gbps", "iops", "days", "hours", "s")
_QUANTITY = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z/]+)\s*")
_TYPES = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "string_type": "text",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "model_type": "a mapping of keys to values",
    "model_attributes_type": "a mapping of keys to values",
}


def check_shape(layered: Layered) -> tuple[Profile | None, list[Diagnostic]]:
    """The typed profile, or every fault of its shape at once."""
    try:
        return Profile.model_validate(layered.data), []
    except ValidationError as error:
        found = [_diagnostic(dict(fault), layered) for fault in error.errors(include_url=False)]
        return None, found


def _diagnostic(fault: dict[str, Any], layered: Layered) -> Diagnostic:
    path = _user_path(fault["loc"], layered.data)
    code, message, hint = _words(fault, path, layered.data)
    place = layered.place(path)
    return Diagnostic(
        code=code.code,
        severity=code.severity,
        path=format_path(path),
        message=message,
        hint=hint,
        source=code.source,
        file=place.file if place else None,
        line=place.line if place else None,
    )


def _user_path(loc: tuple[int | str, ...], data: Any) -> Path:
    """A place in the user's keys: pydantic puts the `kind` of a union into its own paths."""
    path: list[int | str] = []
    here = data
    for step in loc:
        if isinstance(step, str) and isinstance(here, dict) and step not in here and here.get("kind") == step:
            continue
        path.append(step)
        try:
            here = here[step]
        except (KeyError, IndexError, TypeError):
            here = None
    return tuple(path)


def _words(fault: dict[str, Any], path: Path, data: dict[str, Any]) -> tuple[Code, str, str]:
    kind, given, context = fault["type"], fault["input"], fault.get("ctx", {})
    if kind == "extra_forbidden":
        return _unknown_key(path, data, given)
    if kind == "missing":
        return (
            codes.MISSING_KEY,
            f"`{path[-1]}` is missing",
            f"add `{path[-1]}:` {_meaning(path, data)}".rstrip(),
        )
    if kind in ("literal_error", "union_tag_invalid"):
        return _not_in_set(kind, given, context)
    if kind == "union_tag_not_found":
        return codes.MISSING_KEY, "`kind` is missing", "add `kind:`, one of " + _known_kinds(path, data)
    if kind in _TYPES:
        return _wrong_type(_TYPES[kind], given, path)
    if kind == "string_pattern_mismatch":
        return (
            codes.WRONG_FORM,
            f"{given!r} does not have the form of `{path[-1]}`",
            _form(path, data, context),
        )
    return (
        codes.OUT_OF_RANGE,
        f"{_shown(given)}: {_lower(fault['msg'])}",
        f"write a value within the bounds {_meaning(path, data)}".rstrip(),
    )


def _unknown_key(path: Path, data: dict[str, Any], given: Any) -> tuple[Code, str, str]:
    known = _keys_at(path[:-1], data)
    key = str(path[-1])
    twin = _other_unit(key, known)
    if twin:
        amount = _in_gib(f"{given} {key.rsplit('_', 1)[-1]}") if twin.endswith("_gib") else None
        return codes.WRONG_UNIT, f"`{key}` is in another unit", f"write `{twin}: {amount or '...'}`"
    close = nearest(key, known)
    listed = ", ".join(f"`{name}`" for name in known)
    hint = f"did you mean `{close[0]}`? known keys here: {listed}" if close else f"known keys here: {listed}"
    return codes.UNKNOWN_KEY, f"unknown key `{key}`", hint


def _other_unit(key: str, known: list[str]) -> str | None:
    stem, _, unit = key.lower().rpartition("_")
    if unit not in _UNITS:
        stem = key.lower()
    twins = [
        name
        for name in known
        if name != key and name.rpartition("_")[0] == stem and name.rpartition("_")[2] in _UNITS
    ]
    return twins[0] if stem and twins else None


def _not_in_set(kind: str, given: Any, context: dict[str, Any]) -> tuple[Code, str, str]:
    allowed = (
        str(context.get("expected_tags") or context.get("expected", ""))
        .replace("'", "")
        .replace(" or ", ", ")
    )
    value = context.get("tag", given) if kind == "union_tag_invalid" else given
    words = [word.strip() for word in allowed.split(",")]
    close = nearest(str(value), words, count=1)
    hint = f"write one of: {', '.join(words)}" if len(words) > 1 else f"write {words[0]}"
    return (
        codes.NOT_IN_SET,
        f"{_shown(value)} is not a value of this key",
        f"did you mean {close[0]}? {hint}" if close else hint,
    )


def _wrong_type(wanted: str, given: Any, path: Path) -> tuple[Code, str, str]:
    key = path[-1] if path else "profile"
    quantity = _QUANTITY.fullmatch(given) if isinstance(given, str) else None
    if quantity and "number" in wanted:
        number = _in_gib(given) if str(key).endswith("_gib") else None
        hint = f"write `{key}: {number or quantity[1]}`: a plain number in the unit that the key names"
        return codes.WRONG_UNIT, f"{given!r} carries a unit", hint
    if isinstance(given, str) and "number" in wanted and re.fullmatch(r"[0-9]+", given.strip()):
        return (
            codes.WRONG_TYPE,
            f"{given!r} is text, not {wanted}",
            f"write `{key}: {given.strip()}` without quotes",
        )
    if isinstance(given, int) and not isinstance(given, bool) and wanted == "text":
        return codes.WRONG_TYPE, f"{given} is a number, not text", f'write `{key}: "{given}"` with quotes'
    if given is None:
        return (
            codes.WRONG_TYPE,
            f"`{key}` has no value, and it must be {wanted}",
            "give it a value, or take the key out",
        )
    return codes.WRONG_TYPE, f"{_shown(given)} is not {wanted}", f"write {wanted}"


def _in_gib(text: str) -> int | None:
    """An amount in GiB as FSx counts it: 1 TiB of Lustre is 1000 GiB in AWS's own sizes (1.2 TiB is 1200 GiB)."""
    match = _QUANTITY.fullmatch(text)
    factors = {"gib": 1, "gb": 1, "g": 1, "tib": 1000, "tb": 1000, "t": 1000}
    factor = factors.get(match[2].lower()) if match else None
    return round(float(match[1]) * factor) if match and factor else None


def _form(path: Path, data: dict[str, Any], context: dict[str, Any]) -> str:
    meaning = _meaning(path, data)
    return (
        f"write it like this {meaning}" if meaning else f"write it in the form {context.get('pattern', '')}"
    )


def _shown(value: Any) -> str:
    text = (
        repr(value)
        if not isinstance(value, dict | list)
        else "a mapping"
        if isinstance(value, dict)
        else "a list"
    )
    return text if len(text) <= 60 else text[:57] + "..."


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


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
    if mapping and kind in mapping:
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


def _keys_at(path: Path, data: Any) -> list[str]:
    return sorted({key for schema in _schemas_at(path, data) for key in schema.get("properties", {})})


def _known_kinds(path: Path, data: Any) -> str:
    kinds = {
        str(s["properties"]["kind"].get("const"))
        for s in _schemas_at(path, data)
        if "kind" in s.get("properties", {})
    }
    return ", ".join(sorted(kinds))


def _meaning(path: Path, data: Any) -> str:
    for schema in _schemas_at(path[:-1], data):
        described = schema.get("properties", {}).get(path[-1], {}) if path else {}
        if described.get("description"):
            return f"({described['description'].rstrip('.')})"
    return ""
