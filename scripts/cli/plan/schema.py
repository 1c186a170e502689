"""The JSON Schema of `ultracluster plan --json`, made from the dataclasses of the plan."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import types
import typing
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Literal, Union

import config.design
from config.design.report.plan import VERSION, PlanReport
from config.diagnostics import Diagnostic

_PLAIN = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}


def json_schema() -> dict[str, Any]:
    """The schema; every key is there in every plan, and there are no others."""
    names = _names((PlanReport, Diagnostic))
    plan = {"anyOf": [{"$ref": _ref(PlanReport, names)}, {"type": "null"}]}
    diagnostics = {"type": "array", "items": {"$ref": _ref(Diagnostic, names)}}
    definitions = {name: _of_class(kind, names) for kind, name in names.items()}
    definitions[names[PlanReport]]["properties"]["version"] = {"const": VERSION}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "ultracluster plan",
        **_object(
            {
                "plan": {**plan, "description": "Null for a profile with errors: the diagnostics say which."},
                "diagnostics": {**diagnostics, "description": "Errors first, what is waived last."},
            }
        ),
        "$defs": {name: definitions[name] for name in sorted(definitions)},
    }


def _of_class(kind: type, names: dict[type, str]) -> dict[str, Any]:
    said = inspect.cleandoc(kind.__doc__ or "")
    hints = _hints(kind)
    properties = {field.name: _of(hints[field.name], names) for field in fields(kind)}
    return {"description": " ".join(said.split()), **_object(properties)}


def _of(hint: Any, names: dict[type, str]) -> dict[str, Any]:
    if hint is Any:
        return {}
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if hint in names:
        return {"$ref": _ref(hint, names)}
    if inspect.isclass(hint) and issubclass(hint, StrEnum):
        return {"enum": [member.value for member in hint]}
    of, given = typing.get_origin(hint), typing.get_args(hint)
    if of is Literal:
        return {"enum": list(given)}
    if of in (Union, types.UnionType):
        return _any_of([_of(one, names) for one in given])
    if of is tuple and given[1:] == (...,):
        return {"type": "array", "items": _of(given[0], names)}
    if of is tuple:
        items = [_of(one, names) for one in given]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
    if of is dict:
        return {"type": "object", "additionalProperties": _of(given[1], names)}
    raise TypeError(f"a plan holds {hint}, which has no place in its JSON Schema")


def _any_of(choices: list[dict[str, Any]]) -> dict[str, Any]:
    """One of several; plain ones are told in one word each."""
    if all(choice.keys() == {"type"} for choice in choices):
        return {"type": [choice["type"] for choice in choices]}
    return {"anyOf": choices}


def _names(roots: tuple[type, ...]) -> dict[type, str]:
    """Every dataclass that a plan can hold, and its name: with that of its module where two share one."""
    found = tuple(dict.fromkeys(kind for root in roots for kind in _reached(root, set())))
    counts = Counter(kind.__name__ for kind in found)

    def name(kind: type) -> str:
        module = kind.__module__.rpartition(".")[2].removeprefix("report_")
        return kind.__name__ if counts[kind.__name__] == 1 else f"report_{module}.{kind.__name__}"

    return {kind: name(kind) for kind in found}


def _reached(kind: type, seen: set[type]) -> Iterator[type]:
    if kind in seen:
        return
    seen.add(kind)
    yield kind
    for hint in _hints(kind).values():
        for inner in _classes(hint):
            yield from _reached(inner, seen)


def _classes(hint: Any) -> Iterator[type]:
    if inspect.isclass(hint) and is_dataclass(hint):
        yield hint
    for inner in typing.get_args(hint):
        yield from _classes(inner)


def _hints(kind: type) -> dict[str, Any]:
    # names that a module imports for type checkers alone are those of another report
    return typing.get_type_hints(kind, localns=_reports())


@cache
def _reports() -> dict[str, Any]:
    """Every class that a module of the plan defines, by its name."""
    modules = [
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(config.design.__path__, "config.design.")
        if not found.ispkg and "report" in found.name
    ]
    values = [value for module in modules for value in vars(module).values()]
    kinds = [value for value in values if isinstance(value, type) and is_dataclass(value)]
    counts = Counter(kind.__name__ for kind in set(kinds))
    # where two share a name, only the module itself knows which it means
    return {kind.__name__: kind for kind in kinds if counts[kind.__name__] == 1}


def _ref(kind: type, names: dict[type, str]) -> str:
    return f"#/$defs/{names[kind]}"


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
