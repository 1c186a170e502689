"""Values of a template before its deployment; a symbol replaces a value that only a deployment knows.

`Fn::Sub` and `Fn::Join` return the same text for the same parts. A template that only replaces one of these
functions with the other therefore counts as unchanged.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from scripts.cloud.template.document import Template
from scripts.cloud.template.errors import ResourceFailedError
from scripts.cloud.template.functions import KNOWN_AFTER_APPLY, NO_VALUE, resolve, truth

# by the marker, schema validation recognizes a value that is known later; the characters around the text
# are from Unicode's private use area, so that no template contains them
_OPEN, _CLOSE = f"{KNOWN_AFTER_APPLY}\ue000", "\ue001"
_SYMBOL = re.compile("\ue000([^\ue000\ue001]*)\ue001")
_ID = re.compile("\ue000([A-Za-z0-9]+)")
_WHOLE = re.compile(f"{re.escape(_OPEN)}([A-Za-z0-9]+)(?:\\.[A-Za-z0-9.]+)?(?: \\(new\\))?{_CLOSE}")
_NEW = " (new)"
_FROM_NEW = re.compile(r"\$\{([A-Za-z0-9]+)(?:\.[^${}]*)? \(new\)\}")
# functions that split a text: they are not evaluated if the text is a symbol
_OVER_SYMBOLS = frozenset(
    {"Fn::Select", "Fn::Split", "Fn::Cidr", "Fn::Base64", "Fn::Length", "Fn::FindInMap", "Fn::GetAZs"}
)
_PARTITIONS = {"cn-": ("aws-cn", "amazonaws.com.cn"), "us-gov-": ("aws-us-gov", "amazonaws.com")}
_ZONES = 6


def symbol(text: str) -> str:
    """Return the symbol for a value that only a deployment knows."""
    return f"{_OPEN}{text}{_CLOSE}"


def shown(value: Any) -> Any:
    """Return a value for display: symbols as `${LogicalId.Attribute}`."""
    if isinstance(value, str):
        return value.replace(_OPEN, "${").replace(_CLOSE, "}").replace(KNOWN_AFTER_APPLY, "")
    if isinstance(value, dict):
        return {key: shown(item) for key, item in value.items()}
    return [shown(item) for item in value] if isinstance(value, list) else value


def made_anew(value: Any) -> Iterator[str]:
    """Yield the logical ids of the new resources in a value."""
    yield from _FROM_NEW.findall(json.dumps(shown(value), ensure_ascii=False))


def symbols_in(value: Any) -> list[str]:
    """Return the texts of the symbols in a value, such as `Vpc` and `Template.LatestVersionNumber`."""
    found = _SYMBOL.findall(json.dumps(value, ensure_ascii=False))
    return [text.removesuffix(_NEW) for text in found]


def owner_of(text: str) -> str | None:
    """Return the logical id of a resource if the value is its id or attribute; None for other values."""
    found = _WHOLE.fullmatch(text)
    return found[1] if found else None


def without_ids(value: Any, names: Mapping[str, str]) -> str:
    """Return a value as text for a comparison; in its symbols, `names` replace the logical ids."""

    def other(match: re.Match[str]) -> str:
        return f"\ue000{names.get(match[1], match[1])}"

    text = json.dumps(value, sort_keys=True, ensure_ascii=False).replace(f"{_NEW}{_CLOSE}", _CLOSE)
    return _ID.sub(other, text)


class Symbols:
    """The values of one template. Resources in `fresh` and attributes in `moved` get new values."""

    def __init__(self, template: Template, region: str, stack: str | None = None) -> None:
        self.template, self.mappings = template, template.section("Mappings")
        self._region, self._stack = region, stack
        self._conditions: dict[str, bool] = {}
        self.fresh: set[str] = set()
        self.moved: set[tuple[str, str]] = set()

    def ref(self, name: str) -> Any:
        """Return the value of a parameter, a pseudo parameter or a resource."""
        if name in self.template.section("Parameters"):
            return _parameter(name, self.template.section("Parameters")[name])
        if name.startswith("AWS::"):
            return self._pseudo(name)
        return symbol(name + self._mark(name))

    def attribute(self, logical_id: str, name: str) -> Any:
        """Return an attribute of a resource, or its property of the same name if the template sets that."""
        properties = self.template.resources.get(logical_id, {}).get("Properties") or {}
        if name in properties:
            return evaluate(properties[name], self)
        new = _NEW if (logical_id, name) in self.moved else self._mark(logical_id)
        return symbol(f"{logical_id}.{name}{new}")

    def condition(self, name: str) -> bool:
        """Return the value of a condition."""
        if name not in self._conditions:
            declared = self.template.section("Conditions")
            if name not in declared:
                raise ResourceFailedError(f"unresolved condition dependency {name}")
            self._conditions[name] = truth(_with_values(declared[name], self), self)
        return self._conditions[name]

    def exported(self, name: str) -> Any:
        """Return the value of another stack's export."""
        return symbol(f"import {shown(name)}")

    def zones(self, region: str) -> list[str]:
        """Return symbols for the zone names of a Region, more than any template uses."""
        return [symbol(f"zone {number} of {shown(region)}") for number in range(_ZONES)]

    def dynamic(self, service: str, key: str) -> str:
        """Return the value of a dynamic reference."""
        return symbol(f"resolve:{service}:{key}")

    def is_active(self, declared: Mapping[str, Any]) -> bool:
        """Return whether the condition of a resource or output is true."""
        if "Condition" not in declared:
            return True
        return self._is_undecided(declared["Condition"]) or self.condition(declared["Condition"])

    def _is_undecided(self, name: str) -> bool:
        """Return whether only a deployment knows the condition; the resource is then treated as active."""
        declared = self.template.section("Conditions").get(name)
        return KNOWN_AFTER_APPLY in json.dumps(_with_values(declared, self), ensure_ascii=False)

    def _mark(self, logical_id: str) -> str:
        return _NEW if logical_id in self.fresh else ""

    def _pseudo(self, name: str) -> Any:
        found = next((p for start, p in _PARTITIONS.items() if self._region.startswith(start)), None)
        partition, suffix = found or ("aws", "amazonaws.com")
        known = {
            "AWS::NotificationARNs": [],
            "AWS::Partition": partition,
            "AWS::Region": self._region,
            "AWS::URLSuffix": suffix,
        }
        if self._stack:
            known["AWS::StackName"] = self._stack
        return known[name] if name in known else symbol(name)


def _parameter(name: str, declared: Mapping[str, Any]) -> Any:
    """Return a parameter's default; a symbol if it has no default, is secret, or is read from SSM."""
    default, kind = declared.get("Default"), str(declared.get("Type", "String"))
    if default is None:
        return symbol(name)
    if str(declared.get("NoEcho", False)).lower() == "true":
        return symbol(f"{name} #{hashlib.sha256(str(default).encode()).hexdigest()[:8]}")
    if kind.startswith("AWS::SSM::Parameter::"):
        return symbol(f"resolve:ssm:{default}")
    is_list = kind == "CommaDelimitedList" or kind.startswith("List<")
    return [part.strip() for part in str(default).split(",")] if is_list else default


def evaluate(value: Any, symbols: Symbols) -> Any:
    """Return a value with every function evaluated, the innermost first, so that no symbol is split."""
    if isinstance(value, dict):
        if len(value) == 1:
            name, argument = next(iter(value.items()))
            if name in ("Ref", "Fn::GetAtt") or name.startswith("Fn::"):
                return _function(name, argument, symbols)
        pairs = ((str(key), evaluate(item, symbols)) for key, item in value.items())
        return {key: item for key, item in pairs if item is not NO_VALUE}
    if isinstance(value, list):
        return [item for item in (evaluate(item, symbols) for item in value) if item is not NO_VALUE]
    return resolve(value, symbols)


def _function(name: str, argument: Any, symbols: Symbols) -> Any:
    if name == "Fn::If":
        condition, when_true, when_false = argument
        return evaluate(when_true if symbols.condition(condition) else when_false, symbols)
    if name in ("Ref", "Fn::GetAtt"):
        return resolve({name: argument}, symbols)
    if name == "Fn::Sub":
        text, local = (argument, {}) if isinstance(argument, str) else argument
        return resolve({name: [text, {k: evaluate(v, symbols) for k, v in local.items()}]}, symbols)
    values = evaluate(argument, symbols)
    if _taken_apart(name, values):
        return symbol(f"{name} {json.dumps(shown(values), ensure_ascii=False)}")
    return resolve({name: values}, symbols)


def _taken_apart(name: str, values: Any) -> bool:
    """Return whether a function would split a symbol; selecting one symbol from a list does not split it."""
    if name == "Fn::Join":
        return isinstance(values[1], str)
    if name == "Fn::Select" and isinstance(values[1], list):
        return KNOWN_AFTER_APPLY in str(values[0])
    return name in _OVER_SYMBOLS and KNOWN_AFTER_APPLY in json.dumps(values)


def _with_values(condition: Any, symbols: Symbols) -> Any:
    if isinstance(condition, dict):
        return {
            name: [evaluate(item, symbols) for item in argument]
            if name == "Fn::Equals"
            else _with_values(argument, symbols)
            for name, argument in condition.items()
        }
    return [_with_values(item, symbols) for item in condition] if isinstance(condition, list) else condition
