"""Messages and hints for the errors that pydantic finds in a profile."""

from __future__ import annotations

import re
from typing import Any

from config.diagnostics import Code, Path
from config.profile.base import CRON, FORMS
from config.profile.slurm.cron import malformed
from config.profile.source import codes
from config.profile.source.keys_of_apis import (
    OURS,
    WHY_NOT,
    observability_instead,
    pcluster_instead,
    snake_case,
)
from config.profile.source.reference import nearest
from config.profile.source.schema import (
    keys_at,
    kinds_with,
    known_kinds,
    lower_first,
    meaning_of,
    required_at,
)

_UNITS = ("gib", "tib", "gb", "tb", "mib", "mb", "mbps", "gbps", "iops", "days", "hours", "s")
_QUANTITY = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z/]+)\s*")
_VERSION = re.compile(r"[0-9]+\.[0-9]+")
_LONGEST = 60
_LARGEST = 1e15
_TYPES = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "string_type": "text",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "model_type": "a mapping of keys to values",
    "dict_type": "a mapping of keys to values",
    "model_attributes_type": "a mapping of keys to values",
}


def describe(fault: dict[str, Any], path: Path, data: dict[str, Any]) -> tuple[Code, str, str]:
    """Return code, message and hint of one pydantic error."""
    kind, value, context = fault["type"], fault["input"], fault.get("ctx", {})
    if kind == "extra_forbidden":
        return _unknown_key(path, data, value)
    if kind == "missing":
        meaning = meaning_of(path, data)
        hint = f"add `{path[-1]}:`" + (f" ({lower_first(meaning)})" if meaning else "")
        return codes.MISSING_KEY, f"`{path[-1]}` is missing", hint
    if kind in ("literal_error", "union_tag_invalid"):
        return _not_in_set(kind, value, context, path)
    if kind == "union_tag_not_found":
        return codes.MISSING_KEY, "`kind` is missing", "add `kind:`, one of " + known_kinds(path, data)
    if kind in _TYPES:
        return _wrong_type(_TYPES[kind], value, path, data)
    if kind == "string_pattern_mismatch":
        if context["pattern"] == CRON and isinstance(value, str) and (said := malformed(value)):
            return codes.WRONG_FORM, f"{shown(value)}: {said}", f"write {FORMS[CRON]}"
        form = FORMS.get(context["pattern"], f"a text that matches {context['pattern']}")
        return codes.WRONG_FORM, f"{shown(value)} is not a valid value of `{_key(path)}`", f"write {form}"
    return _out_of_range(kind, value, context, path, fault["msg"])


def _key(path: Path) -> str:
    """Return the last key of a path; for an item of a list, the key of the list."""
    return next((step for step in reversed(path) if isinstance(step, str)), "profile")


OFFERS = ("write", "did you mean")
"""Start of a hint that names the profile key which replaces an unknown key."""

_BOUNDS = {
    "greater_than_equal": ("ge", "{value} is less than {bound}", "write {bound} or more"),
    "greater_than": ("gt", "{value} is not more than {bound}", "write a number above {bound}"),
    "less_than_equal": ("le", "{value} is more than {bound}", "write {bound} or less"),
    "less_than": ("lt", "{value} is not less than {bound}", "write a number below {bound}"),
    "string_too_long": ("max_length", "{value} has {length} characters", "use at most {bound}"),
    "string_too_short": ("min_length", "{value} has {length} characters", "use at least {bound}"),
    "finite_number": ("", "{value} is not a finite number", "write a number such as 405e9"),
    "too_long": ("max_length", "`{key}` has {length} items", "keep at most {bound}"),
    "too_short": ("min_length", "`{key}` has {length} items", "add at least {bound}"),
}


def _out_of_range(
    kind: str, value: Any, context: dict[str, Any], path: Path, said: str
) -> tuple[Code, str, str]:
    if kind not in _BOUNDS:
        return (
            codes.OUT_OF_RANGE,
            f"{shown(value)}: {lower_first(said)}",
            f"change the value of `{_key(path)}`",
        )
    bound, message, hint = _BOUNDS[kind]
    parts = {
        "value": shown(value),
        "bound": f"{context[bound]:.15g}" if bound else "",
        "key": _key(path),
        "length": len(value) if isinstance(value, str | list | tuple) else "",
    }
    return codes.OUT_OF_RANGE, message.format(**parts), hint.format(**parts)


def _unknown_key(path: Path, data: dict[str, Any], value: Any) -> tuple[Code, str, str]:
    known = keys_at(path[:-1], data)
    key = str(path[-1])
    twin = _other_unit(key, known)
    if twin:
        amount = _in_gib(f"{value} {key.rsplit('_', 1)[-1]}") if twin.endswith("_gib") else None
        return (
            codes.WRONG_UNIT,
            f"`{shown_key(key)}` has the wrong unit, the key is `{twin}`",
            f"write `{twin}: {amount or '...'}`",
        )
    if hint := _of_an_api(key, path, data, known):
        return codes.UNKNOWN_KEY, f"unknown key `{shown_key(key)}`", hint
    close = nearest(key, known)
    listed = ", ".join(f"`{name}`" for name in known)
    hint = f"did you mean `{close[0]}`? known keys here: {listed}" if close else f"known keys here: {listed}"
    return codes.UNKNOWN_KEY, f"unknown key `{shown_key(key)}`", hint


def _of_an_api(key: str, path: Path, data: dict[str, Any], known: list[str]) -> str | None:
    """Return a hint if the key is spelled as in an AWS API or belongs to another value of `kind`.

    Otherwise, return None.
    """
    here = snake_case(key)
    if here in known:
        return f"write `{here}`"
    if path[0] in ("orchestrator", "compute"):
        if here in WHY_NOT:
            return f"remove it; {WHY_NOT[here]}"
        for ours in OURS.get(here, ()):
            if ours in known:
                return f"write `{ours}`"
    kinds = kinds_with(here, path, data)
    if kinds:
        return "remove it, or use another `kind`: it is a key of " + " and ".join(
            f"`kind: {kind}`" for kind in kinds
        )
    return None


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


def _not_in_set(kind: str, value: Any, context: dict[str, Any], path: Path) -> tuple[Code, str, str]:
    allowed = (
        str(context.get("expected_tags") or context.get("expected", ""))
        .replace("'", "")
        .replace(" or ", ", ")
    )
    key = _key(path)
    if kind == "union_tag_invalid":
        value, key = value.get("kind") if isinstance(value, dict) else value, "kind"
    names = [name.strip() for name in allowed.split(",")]
    if (
        key == "kind"
        and path[0] == "orchestrator"
        and isinstance(value, str)
        and (hint := pcluster_instead(value))
    ):
        return codes.NOT_IN_SET, f"{shown(value)} is not a valid value of `{key}`", hint
    if isinstance(value, str) and (hint := observability_instead(path, value)):
        return codes.NOT_IN_SET, f"{shown(value)} is not a valid value of `{key}`", hint
    if isinstance(value, float) and all(_VERSION.fullmatch(name) for name in names):
        # YAML reads 1.30 as the number 1.3
        said = f"{shown(value)} is a number, but `{key}` is a version in quotes"
        return codes.NOT_IN_SET, said, "write one of: " + ", ".join(f'"{name}"' for name in names)
    close = nearest(value, names, count=1) if isinstance(value, str) else []
    hint = f"write one of: {', '.join(names)}" if len(names) > 1 else f"write {names[0]}"
    return (
        codes.NOT_IN_SET,
        f"{shown(value)} is not a valid value of `{key}`",
        f"did you mean {close[0]}? {hint}" if close else hint,
    )


def _wrong_type(wanted: str, value: Any, path: Path, data: dict[str, Any]) -> tuple[Code, str, str]:
    key = _key(path)
    if value is None:
        said = f"`{key}` has no value, but must be {wanted}"
        return codes.WRONG_TYPE, said, "add a value, or remove the key"
    quantity = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if quantity and "number" in wanted:
        number = _in_gib(value) if key.endswith("_gib") else None
        hint = f"write `{key}: {number or quantity[1][:_LONGEST]}`, a number without a unit; the key contains the unit"
        return codes.WRONG_UNIT, f"{shown(value)} has a unit", hint
    return codes.WRONG_TYPE, f"{shown(value)} is not {wanted}", _retyped(wanted, value, path, data)


def _retyped(wanted: str, value: Any, path: Path, data: dict[str, Any]) -> str:
    """Return a hint for a value of the wrong type: if possible, the same value in the right type."""
    key = _key(path)
    if "number" in wanted and isinstance(value, str) and re.fullmatch(r"[0-9]{1,18}", value.strip()):
        return f"write `{key}: {value.strip()}`, without quotes"
    if wanted == "a whole number" and isinstance(value, float) and value.is_integer():
        return f"write `{key}: {value:.0f}`" if value < _LARGEST else f"write {wanted}"
    if wanted == "text" and isinstance(value, int) and not isinstance(value, bool):
        # YAML reads 012 as 12: an account number that starts with a zero needs its quotes
        return (
            f'write `{key}: "{value:012d}"`, in quotes' if key == "account" else f'write `{key}: "{value}"`'
        )
    if wanted == "text" and isinstance(value, float) and re.fullmatch(r"[0-9]{1,2}\.[0-9]{1,2}", str(value)):
        return f'write `{key}: "{value}"`, in quotes; without quotes, YAML reads 1.10 as the number 1.1'
    if wanted == "text" and isinstance(value, float):
        return f'write `{key}: "..."`, in quotes; without quotes, YAML reads texts such as 8e12 as a number'
    if wanted == "a list" and isinstance(value, str) and len(value) <= _LONGEST:
        return f"write a list, such as `{key}: [{value}]`"
    kinds = known_kinds(path, data) if wanted == _TYPES["model_type"] else ""
    if kinds:
        known = kinds.split(", ")
        kind = value if value in known else known[0] if len(known) == 1 else "..."
        needed = "".join(f", {name}: ..." for name in required_at(path, data, kind))
        return f"write `{key}: {{kind: {kind}{needed}}}`" + (f", one of {kinds}" if kind == "..." else "")
    if wanted == "a list" and isinstance(value, dict):
        return f"write a list, such as `{key}: [{{...}}]`"
    return _as_mapping(value, path, data) if wanted == _TYPES["model_type"] else f"write {wanted}"


def _as_mapping(value: Any, path: Path, data: dict[str, Any]) -> str:
    """Return a hint with the required keys of a mapping; if the list item is a text, it becomes the name."""
    key, known, needed = _key(path), keys_at(path, data), required_at(path, data)
    if value is False and known:
        return "remove the key"
    if isinstance(path[-1], int) and isinstance(value, str) and needed and len(value) <= _LONGEST:
        first, *others = sorted(needed, key=lambda name: name != "name")
        return f"write `{{{first}: {value}{''.join(f', {name}: ...' for name in others)}}}`"
    if needed and not isinstance(path[-1], int):
        return f"write `{key}: {{{', '.join(f'{name}: ...' for name in needed)}}}`"
    if value is True and known:
        return f"write `{key}: {{}}`"
    listed = f"; known keys: {', '.join(f'`{name}`' for name in known)}" if known else ""
    return f"write {_TYPES['model_type']}{listed}"


def _in_gib(text: str) -> int | None:
    """Return an amount in GiB as FSx counts it, where 1 TiB is 1000 GiB (1.2 TiB is 1200 GiB); None if unknown."""
    match = _QUANTITY.fullmatch(text)
    factors = {"gib": 1, "gb": 1, "g": 1, "tib": 1000, "tb": 1000, "t": 1000}
    factor = factors.get(match[2].lower()) if match else None
    amount = float(match[1]) * factor if match and factor else 0
    return round(amount) if 0 < amount < _LARGEST else None


def shown(value: Any) -> str:
    """Return a value for messages: `a mapping`, `a list`, or the value itself, at most 60 characters."""
    if isinstance(value, dict | list | tuple):
        return "a mapping" if isinstance(value, dict) else "a list"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def shown_key(key: str) -> str:
    """Return a key for messages, at most 60 characters."""
    return key if len(key) <= _LONGEST else f"{key[:_LONGEST]}..."
