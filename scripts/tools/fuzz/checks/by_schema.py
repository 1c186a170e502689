"""Comparison of the loader with the JSON Schema of a profile: both must report the same shape errors."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # has no types

from config.profile.source.loader import Loaded
from config.profile.source.schema import json_schema
from scripts.tools.fuzz.finding import Finding

_OF_SHAPE = frozenset(f"PRO0{number}" for number in range(10, 17))
_OF_RULES = ("throughput_mbps_per_tib", "flow_log_retention_days", "log_retention_days")
"""Keys whose values are checked by a rule, not by their type; the schema lists the values for editors."""


def check_shape_by_schema(loaded: Loaded) -> Iterator[Finding]:
    """Yield a finding if the schema reports a shape error and the loader does not, or the reverse."""
    if not loaded.layered.data or loaded.base_missing or loaded.reference is None:
        return
    data = _without_nulls(loaded.layered.data)
    nulls = data != loaded.layered.data  # an unknown key with the value null is also removed
    faults = [fault for fault in loaded.diagnostics if fault.code in _OF_SHAPE]
    errors = [error.message for error in _validator().iter_errors(data)]
    if errors and not faults:
        yield Finding("the schema accepts a profile without shape errors", errors[0][:300])
    if faults and not errors and not nulls and not _beyond_the_schema(data):
        fault = f"{faults[0].code} {faults[0].path}: {faults[0].message}"
        yield Finding("a profile that the schema accepts has no shape errors", fault)


@cache
def _validator() -> Any:
    schema = copy.deepcopy(json_schema())
    for model in schema["$defs"].values():
        for key in _OF_RULES:
            model.get("properties", {}).get(key, {}).pop("enum", None)
    return Draft202012Validator(schema)


def _without_nulls(value: Any) -> Any:
    """Return the value without keys that are null, because null means that a key is not set."""
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def _beyond_the_schema(value: Any) -> bool:
    """Return whether schema and loader treat a value differently (16.0, infinity or a final newline)."""
    if isinstance(value, dict):
        return any(map(_beyond_the_schema, value.values()))
    if isinstance(value, list):
        return any(map(_beyond_the_schema, value))
    if isinstance(value, float):
        return math.isinf(value) or value.is_integer()
    return isinstance(value, str) and value.endswith("\n")
