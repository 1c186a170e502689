"""Writer of short YAML, with mappings and lists on one line if they fit."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import yaml

from config.profile.source.yaml_source import read_yaml

_WIDTH = 96
_ENDLESS = 1_000_000
_KEPT = 10_000
"""Size of the cache of written values, because profiles repeat a few hundred values."""


def as_yaml(data: Mapping[str, Any], *, expand: int = 0) -> str:
    """Return the data as YAML 1.2; the outermost `expand` levels of mappings always use separate lines."""
    return "\n".join(_block(data, "", expand)) + "\n"


def _block(data: Mapping[str, Any], indent: str, expand: int) -> Iterator[str]:
    for key, value in data.items():
        if not isinstance(value, dict | list):
            yield _alone(_scalar(key), value, indent)
            continue
        line = f"{indent}{_scalar(key)}: {_flow(value)}"
        if not value or (len(line) <= _WIDTH and (expand < 1 or isinstance(value, list))):
            yield line
            continue
        yield f"{indent}{_scalar(key)}:"
        if isinstance(value, dict):
            yield from _block(value, f"{indent}  ", expand - 1)
        else:
            yield from _items(value, f"{indent}  ")


@lru_cache(maxsize=_KEPT, typed=True)
def _alone(key: str, value: Any, indent: str) -> str:
    """Return a value with few quotes, or as a YAML block scalar if it has several lines."""
    lines = value.splitlines() if isinstance(value, str) else []
    scalar = yaml.safe_dump(value, width=_ENDLESS, allow_unicode=True).removesuffix("...\n").rstrip("\n")
    if len(lines) > 1 or "\n" in scalar:
        scalar = "\n".join(["|" if value.endswith("\n") else "|-", *(f"{indent}  {line}" for line in lines)])
    if read_yaml(f"{indent}{key}: {scalar}\n").data != {key: value}:
        scalar = _scalar(value)
    return f"{indent}{key}: {scalar}"


def _items(values: list[Any], indent: str) -> Iterator[str]:
    for value in values:
        line = f"{indent}- {_flow(value)}"
        if len(line) <= _WIDTH or not isinstance(value, dict) or not value:
            yield line
            continue
        first, *rest = _block(value, f"{indent}  ", 0)
        yield f"{indent}- {first.lstrip()}"
        yield from rest


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_scalar(key)}: {_flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return _scalar(value)


@lru_cache(maxsize=_KEPT, typed=True)
def _scalar(value: Any) -> str:
    """Return a value between brackets, in quotes if YAML 1.2 would read it differently."""
    text = yaml.safe_dump([value], default_flow_style=True, width=_ENDLESS, allow_unicode=True)
    text = text.strip().removeprefix("[").removesuffix("]")
    return text if read_yaml(f"[{text}]").data == [value] else json.dumps(value)
