"""Evaluation of intrinsic functions in properties."""

from __future__ import annotations

import base64
import ipaddress
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from .errors import ResourceFailedError

KNOWN_AFTER_APPLY = "{{changeSet:KNOWN_AFTER_APPLY}}"
NO_VALUE = object()
_VARIABLE = re.compile(r"\$\{([^!{}][^{}]*)\}")
_LITERAL = re.compile(r"\$\{!([^{}]*)\}")
_DYNAMIC = re.compile(r"\{\{resolve:([a-z-]+):([^}]+)\}\}")


class Values(Protocol):
    """The values that functions refer to: parameters, resources, conditions, exports and zones."""

    @property
    def mappings(self) -> Mapping[str, Any]:
        """The template's mappings."""

    def ref(self, name: str) -> Any:
        """Return the value of a parameter, a pseudo parameter or a resource."""

    def attribute(self, logical_id: str, name: str) -> Any:
        """Return an attribute of a resource."""

    def condition(self, name: str) -> bool:
        """Return the value of a condition."""

    def exported(self, name: str) -> Any:
        """Return the value of another stack's export."""

    def zones(self, region: str) -> list[str]:
        """Return the Availability Zones of a Region."""

    def dynamic(self, service: str, key: str) -> str:
        """Return the value of a dynamic reference."""


def resolve(value: Any, values: Values) -> Any:
    """Replace each function in `value`, and remove keys whose value is `AWS::NoValue`."""
    if isinstance(value, dict):
        if len(value) == 1:
            name, argument = next(iter(value.items()))
            if name in _FUNCTIONS:
                return _called(name, argument, values)
            if name.startswith("Fn::"):
                raise ResourceFailedError(
                    f"Template error: the embedded cloud does not support the function {name}"
                )
        pairs = ((key, resolve(item, values)) for key, item in value.items())
        return {key: item for key, item in pairs if item is not NO_VALUE}
    if isinstance(value, list):
        return [item for item in (resolve(item, values) for item in value) if item is not NO_VALUE]
    if isinstance(value, str) and "{{resolve:" in value:
        return _DYNAMIC.sub(lambda match: values.dynamic(match[1], match[2]), value)
    return value


def _called(name: str, argument: Any, values: Values) -> Any:
    """Return the value of a function; raises ResourceFailedError for invalid arguments."""
    try:
        return _FUNCTIONS[name](argument, values)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        message = f"Template error: invalid arguments of {name} ({error})"
        raise ResourceFailedError(message) from None


def truth(condition: Any, values: Values) -> bool:
    """Return the value of a condition expression."""
    try:
        return _truth(condition, values)
    except (AttributeError, IndexError, StopIteration, TypeError, ValueError) as error:
        message = f"Template error: invalid condition ({error})"
        raise ResourceFailedError(message) from None


def _truth(condition: Any, values: Values) -> bool:
    name, argument = next(iter(condition.items()))
    if name == "Condition":
        return values.condition(argument)
    if name == "Fn::Equals":
        left, right = (resolve(item, values) for item in argument)
        return _text(left) == _text(right)
    if name == "Fn::Not":
        return not truth(argument[0], values)
    if name in ("Fn::And", "Fn::Or"):
        results = [truth(item, values) for item in argument]
        return all(results) if name == "Fn::And" else any(results)
    raise ResourceFailedError(f"Template error: {name} cannot be used in a condition")


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else json.dumps(value)


def _is_later(value: Any) -> bool:
    return isinstance(value, str) and KNOWN_AFTER_APPLY in value


def _ref(argument: Any, values: Values) -> Any:
    return NO_VALUE if argument == "AWS::NoValue" else values.ref(argument)


def _get_att(argument: Any, values: Values) -> Any:
    logical_id, name = argument.split(".", 1) if isinstance(argument, str) else argument
    return values.attribute(logical_id, resolve(name, values))


def _if(argument: Any, values: Values) -> Any:
    name, when_true, when_false = argument
    return resolve(when_true if values.condition(name) else when_false, values)


def _join(argument: Any, values: Values) -> Any:
    delimiter, items = argument
    parts = resolve(items, values)
    return parts if _is_later(parts) else delimiter.join(_text(part) for part in parts)


def _split(argument: Any, values: Values) -> Any:
    delimiter, source = argument
    text = resolve(source, values)
    return text if _is_later(text) else text.split(delimiter)


def _select(argument: Any, values: Values) -> Any:
    index, items = (resolve(item, values) for item in argument)
    if _is_later(items):
        return items
    if not 0 <= int(index) < len(items):
        raise ResourceFailedError(
            f"Template error: Fn::Select cannot select nonexistent value at index {index}"
        )
    return items[int(index)]


def _sub(argument: Any, values: Values) -> str:
    text, extra = (argument, {}) if isinstance(argument, str) else argument
    local = {name: resolve(value, values) for name, value in extra.items()}

    def variable(match: re.Match[str]) -> str:
        name = match[1].strip()
        if name in local:
            return _text(local[name])
        return _text(_get_att(name, values) if "." in name else values.ref(name))

    return _LITERAL.sub(r"${\1}", _VARIABLE.sub(variable, text))


def _find_in_map(argument: Any, values: Values) -> Any:
    name, first, second = (resolve(item, values) for item in argument[:3])
    try:
        return values.mappings[name][str(first)][str(second)]
    except KeyError:
        if len(argument) > 3 and "DefaultValue" in argument[3]:
            return resolve(argument[3]["DefaultValue"], values)
        raise ResourceFailedError(
            f"Template error: Unable to get mapping for {name}::{first}::{second}"
        ) from None


def _base64(argument: Any, values: Values) -> str:
    return base64.b64encode(_text(resolve(argument, values)).encode()).decode()


def _cidr(argument: Any, values: Values) -> Any:
    block, count, *bits = (resolve(item, values) for item in argument)
    if _is_later(block):
        return block
    network = ipaddress.ip_network(block)
    host_bits = int(bits[0]) if bits else 8
    subnets = network.subnets(new_prefix=network.max_prefixlen - host_bits)
    return [str(subnet) for subnet, _ in zip(subnets, range(int(count)), strict=False)]


def _import(argument: Any, values: Values) -> Any:
    return values.exported(resolve(argument, values))


def _zones(argument: Any, values: Values) -> list[str]:
    return values.zones(resolve(argument, values) or values.ref("AWS::Region"))


def _to_json(argument: Any, values: Values) -> str:
    return json.dumps(resolve(argument, values), separators=(",", ":"))


def _length(argument: Any, values: Values) -> int:
    return len(resolve(argument, values))


_FUNCTIONS: dict[str, Callable[[Any, Values], Any]] = {
    "Ref": _ref,
    "Fn::GetAtt": _get_att,
    "Fn::If": _if,
    "Fn::Join": _join,
    "Fn::Split": _split,
    "Fn::Select": _select,
    "Fn::Sub": _sub,
    "Fn::FindInMap": _find_in_map,
    "Fn::Base64": _base64,
    "Fn::Cidr": _cidr,
    "Fn::ImportValue": _import,
    "Fn::GetAZs": _zones,
    "Fn::ToJsonString": _to_json,
    "Fn::Length": _length,
}
