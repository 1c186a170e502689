"""The limits of a shape in an API model: enumeration, length, range and pattern, with our corrections.

A pattern must match the whole value, with or without anchors, because the services require this. Nearly all
patterns that are also in CloudFormation's schemas have the same text there, with anchors (`ClusterName` of
HyperPod, `AmiId` of PCS). Every example request that botocore ships matches in this way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import regex  # type: ignore[import-untyped]  # has no types
import yaml

from .shapes import shape_named

_CORRECTIONS = Path(__file__).parent / "data" / "corrections.yaml"
_UNITS = {
    "string": ("character", "characters"),
    "list": ("item", "items"),
    "map": ("entry", "entries"),
}
_NUMBERS = ("integer", "long", "float", "double")
_SHOWN = 100
_NOT_SHOWN = "the value (not shown)"
# limit in seconds: a pattern with nested repetitions could run for years on a wrong value
_PATIENCE_S = 0.05


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one shape. Messages do not show values of a `secret` shape, for example passwords."""

    kind: str
    values: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    pattern: str | None = None
    secret: bool = False

    def violation(self, value: Any) -> str | None:
        """Return what is wrong with a value and what is allowed; None if the value is valid."""
        if self.kind == "string":
            return self._text(str(value))
        size = value if self.kind in _NUMBERS else len(value)
        return self._size(size)

    def _text(self, value: str) -> str | None:
        if self.values and value not in self.values:
            return f"{_NOT_SHOWN if self.secret else _short(value)} is not one of {_listed(self.values)}"
        message = self._size(len(value))
        if message is None and self.pattern is not None and not _fits(self.pattern, value):
            shown = _NOT_SHOWN if self.secret else repr(_short(value))
            message = f"{shown} does not match {_short(self.pattern)}"
        return message

    def _size(self, size: float) -> str | None:
        unit = f" {_UNITS[self.kind][size != 1]}" if self.kind in _UNITS else ""
        has = f"the value {'has' if unit else 'is'} {size}{unit}"
        if self.minimum is not None and size < self.minimum:
            return f"{has}, but the minimum is {self.minimum}"
        if self.maximum is not None and size > self.maximum:
            return f"{has}, but the maximum is {self.maximum}"
        return None


@lru_cache(maxsize=4096)
def limits_of(service: str, name: str) -> Limits:
    """Return the limits of a shape, with corrections applied."""
    shape, better = shape_named(service, name), corrections().get(f"{service}:{name}", {})
    values = tuple(shape.get("enum", ()))
    return Limits(
        kind=shape["type"],
        values=(*values, *better.get("values", ())) if values else (),
        minimum=better.get("minimum", shape.get("min")),
        maximum=better.get("maximum", shape.get("max")),
        pattern=better.get("pattern", shape.get("pattern")),
        secret=bool(shape.get("sensitive")),
    )


@lru_cache(maxsize=1)
def corrections() -> Mapping[str, Mapping[str, Any]]:
    """Return the corrections by service and shape."""
    rows: Mapping[str, Mapping[str, Any]] = yaml.safe_load(_CORRECTIONS.read_text(encoding="utf-8"))
    return rows


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Any:
    """Compile a pattern; None if it uses syntax that `regex` does not support (half surrogates of Java)."""
    try:
        return regex.compile(pattern)
    except regex.error:
        return None


def _fits(pattern: str, value: str) -> bool:
    compiled = _compiled(pattern)
    try:
        return compiled is None or compiled.fullmatch(value, timeout=_PATIENCE_S) is not None
    except TimeoutError:
        return True


def _listed(values: tuple[str, ...]) -> str:
    return ", ".join(values[:12]) + (f" or {len(values) - 12} more" if len(values) > 12 else "")


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
