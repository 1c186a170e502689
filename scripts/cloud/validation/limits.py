"""What a shape of an API model allows of a value: its words, its limits, its pattern; with our corrections.

A pattern is matched against the whole value, with anchors or without, as the services do: of the patterns
that CloudFormation's schemas have too, nearly all are the same text there with anchors around it
(`ClusterName` of HyperPod, `AmiId` of PCS), and every example of a request that botocore ships fits so.
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
_UNITS = {"string": "characters", "list": "items", "map": "entries"}
_NUMBERS = ("integer", "long", "float", "double")
_SHOWN = 100
_NOT_SHOWN = "the value, which is not shown,"
# a pattern with one repetition inside another could take years over a wrong value
_PATIENCE_S = 0.05


@dataclass(frozen=True, slots=True)
class Limits:
    """What one shape allows. `secret` values (passwords, but also names of workspaces) are never shown."""

    kind: str
    words: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    pattern: str | None = None
    secret: bool = False

    def told_of(self, value: Any) -> str | None:
        """What is wrong with a value, and what is allowed; None when nothing is."""
        if self.kind == "string":
            return self._text(str(value))
        size = value if self.kind in _NUMBERS else len(value)
        return self._size(size)

    def _text(self, value: str) -> str | None:
        if self.words and value not in self.words:
            return f"{_NOT_SHOWN if self.secret else _short(value)} is not one of {_listed(self.words)}"
        told = self._size(len(value))
        if told is None and self.pattern is not None and not _fits(self.pattern, value):
            shown = _NOT_SHOWN if self.secret else repr(_short(value))
            told = f"{shown} does not match {_short(self.pattern)}"
        return told

    def _size(self, size: float) -> str | None:
        unit = f" {_UNITS[self.kind]}" if self.kind in _UNITS else ""
        if self.least is not None and size < self.least:
            return f"{size}{unit}, {self.least} is the least"
        if self.most is not None and size > self.most:
            return f"{size}{unit}, {self.most} is the most"
        return None


@lru_cache(maxsize=4096)
def limits_of(service: str, name: str) -> Limits:
    """The limits of a shape, corrected."""
    shape, better = shape_named(service, name), corrections().get(f"{service}:{name}", {})
    words = tuple(shape.get("enum", ()))
    return Limits(
        kind=shape["type"],
        words=(*words, *better.get("takes", ())) if words else (),
        least=better.get("least", shape.get("min")),
        most=better.get("most", shape.get("max")),
        pattern=better.get("pattern", shape.get("pattern")),
        secret=bool(shape.get("sensitive")),
    )


@lru_cache(maxsize=1)
def corrections() -> Mapping[str, Mapping[str, Any]]:
    """Service and shape to what is otherwise than its model says."""
    rows: Mapping[str, Mapping[str, Any]] = yaml.safe_load(_CORRECTIONS.read_text(encoding="utf-8"))
    return rows


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Any:
    """A pattern of a model; None for one that is written in another dialect (half surrogates, in Java's)."""
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


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(words[:12]) + (f" or {len(words) - 12} more" if len(words) > 12 else "")


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
