"""Resolve template parameters from the request and from Parameter Store, and check their constraints."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from scripts.cloud.template.document import Template
from scripts.cloud.template.errors import RequestRefusedError

_SSM_TYPE = "AWS::SSM::Parameter::Value<"


def resolve_parameters(
    template: Template, parameter_values: Mapping[str, str], fetch: Callable[[str], str | None]
) -> dict[str, Any]:
    """Return the value of each parameter.

    `fetch` reads Parameter Store; it returns None if the path does not exist.
    """
    declared = template.section("Parameters")
    unknown = sorted(set(parameter_values) - set(declared))
    if unknown:
        raise RequestRefusedError(f"Parameters: [{', '.join(unknown)}] do not exist in the template")
    texts = {name: parameter_values.get(name, spec.get("Default")) for name, spec in declared.items()}
    absent = sorted(name for name, text in texts.items() if text is None)
    if absent:
        raise RequestRefusedError(f"Parameters: [{', '.join(absent)}] must have values")
    for name, spec in declared.items():
        _check(name, str(texts[name]), spec)
    stored = {
        name: str(texts[name]) for name, spec in declared.items() if str(spec["Type"]).startswith(_SSM_TYPE)
    }
    values = {path: fetch(path) for path in sorted(set(stored.values()))}
    missing = [path for path, value in values.items() if value is None]
    if missing:
        raise RequestRefusedError(
            f"Unable to fetch parameters [{','.join(missing)}] from parameter store for this account."
        )
    return {
        name: _typed(str(values[stored[name]]) if name in stored else str(texts[name]), str(spec["Type"]))
        for name, spec in declared.items()
    }


def _typed(text: str, kind: str) -> Any:
    if kind == "CommaDelimitedList" or "List<" in kind:
        return [item.strip() for item in text.split(",")]
    return text


def _check(name: str, text: str, spec: Mapping[str, Any]) -> None:
    allowed = spec.get("AllowedValues")
    if allowed is not None and text not in [str(value) for value in allowed]:
        raise RequestRefusedError(f"Parameter '{name}' must be one of AllowedValues {allowed}")
    pattern = spec.get("AllowedPattern")
    if pattern is not None and not re.fullmatch(pattern, text):
        raise RequestRefusedError(
            f"Parameter {name} failed to satisfy constraint: {spec.get('ConstraintDescription', pattern)}"
        )
    if len(text) < int(spec.get("MinLength", 0)):
        raise RequestRefusedError(f"Parameter '{name}' must contain at least {spec['MinLength']} characters")
    if "MaxLength" in spec and len(text) > int(spec["MaxLength"]):
        raise RequestRefusedError(f"Parameter '{name}' must contain at most {spec['MaxLength']} characters")
    if spec["Type"] == "Number" and not re.fullmatch(r"-?\d+(\.\d+)?", text):
        raise RequestRefusedError(f"Parameter '{name}' must be a number")
