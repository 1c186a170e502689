"""A resource's properties against the request that its provider would send.

The API model has patterns, lengths, limits and enumerations that CloudFormation's schema leaves out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import regex  # type: ignore[import-untyped]  # has no types
import yaml

from scripts.cloudformation.functions import KNOWN_AFTER_APPLY

from .shapes import Shape, request_shape, shape_named

_PATH = Path(__file__).parent / "data" / "requests.yaml"
_UNKNOWN = re.compile(r"\$\{[^}]*\}|\{\{resolve:")

# where the model is wrong, or the service takes more than it says: (service, shape) to the source
_WRONG_PATTERNS: Mapping[tuple[str, str], str] = {
    # the alternation lacks its group: hyperpod.md 1.2, the pattern in the AWS::SageMaker::Cluster schema
    ("sagemaker", "ImageId"): "the pattern lacks grouping around its alternation",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One value that the API refuses; `source` names the shape that says so."""

    path: str
    message: str
    source: str


@dataclass(frozen=True, slots=True)
class _Request:
    service: str
    operation: str
    names: Mapping[str, str] = field(default_factory=dict)
    skip: tuple[str, ...] = ()
    exact: bool = False


@lru_cache(maxsize=1)
def _requests() -> Mapping[str, _Request]:
    rows = yaml.safe_load(_PATH.read_text(encoding="utf-8"))
    return {kind: _Request(**{**row, "skip": tuple(row.get("skip", ()))}) for kind, row in rows.items()}


def checked_types() -> list[str]:
    """The types that are compared with a request."""
    return sorted(_requests())


def request_of(resource_type: str) -> str | None:
    """The request that a type is compared with, as `fsx:CreateFileSystem`."""
    request = _requests().get(resource_type)
    return f"{request.service}:{request.operation}" if request else None


def faults(resource_type: str, properties: Mapping[str, Any]) -> Iterator[Fault]:
    """What the request's model refuses."""
    request = _requests().get(resource_type)
    if request is not None:
        shape = request_shape(request.service, request.operation)
        yield from _structure(request, shape, properties, (), top=True)


def _structure(
    request: _Request, shape: Shape, value: Mapping[str, Any], path: tuple[str, ...], *, top: bool = False
) -> Iterator[Fault]:
    members = {_plain(name): name for name in shape["members"]}
    seen = set()
    for name, item in value.items():
        member = request.names.get(name) or members.get(_plain(name))
        if member not in shape["members"] or name in request.skip or name == "Tags":
            continue
        seen.add(member)
        yield from _value(request, shape["members"][member]["shape"], item, (*path, name))
    if request.exact and not top:
        for member in shape.get("required", []):
            if member not in seen and not any(name in request.skip for name in value):
                yield Fault("/".join(path), f"{member} is required here", f"{request.service} API model")


def _value(request: _Request, name: str, value: Any, path: tuple[str, ...]) -> Iterator[Fault]:
    shape = shape_named(request.service, name)
    kind = shape["type"]
    if kind == "structure" and isinstance(value, Mapping):
        yield from _structure(request, shape, value, path)
    elif kind == "list" and isinstance(value, list):
        yield from _sized(request, name, shape, len(value), "items", path)
        for number, item in enumerate(value):
            yield from _value(request, shape["member"]["shape"], item, (*path, str(number)))
    elif kind == "map" and isinstance(value, Mapping):
        for key, item in value.items():
            yield from _value(request, shape["value"]["shape"], item, (*path, key))
    elif kind == "string" and isinstance(value, str):
        yield from _string(request, name, shape, value, path)
    elif kind in ("integer", "long", "double", "float") and _is_number(value):
        yield from _sized(request, name, shape, value, "", path)


def _string(request: _Request, name: str, shape: Shape, value: str, path: tuple[str, ...]) -> Iterator[Fault]:
    if KNOWN_AFTER_APPLY in value or _UNKNOWN.search(value):
        return
    source = f"{request.service} API model, {name}"
    if "enum" in shape and value not in shape["enum"]:
        allowed = ", ".join(shape["enum"][:12]) + (", ..." if len(shape["enum"]) > 12 else "")
        yield Fault("/".join(path), f"{value} is not one of {allowed}", source)
        return
    yield from _sized(request, name, shape, len(value), "characters", path)
    pattern = shape.get("pattern")
    if pattern and (request.service, name) not in _WRONG_PATTERNS and not _fits(pattern, value):
        yield Fault("/".join(path), f"{value!r} does not match {pattern}", source)


def _sized(
    request: _Request, name: str, shape: Shape, size: float, unit: str, path: tuple[str, ...]
) -> Iterator[Fault]:
    source = f"{request.service} API model, {name}"
    of_unit = f" {unit}" if unit else ""
    if size < shape.get("min", size):
        yield Fault("/".join(path), f"{size}{of_unit}, {shape['min']} is the least", source)
    if size > shape.get("max", size):
        yield Fault("/".join(path), f"{size}{of_unit}, {shape['max']} is the most", source)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Any:
    """A pattern of the model; None for one of another dialect."""
    try:
        return regex.compile(pattern)
    except regex.error:
        return None


def _fits(pattern: str, value: str) -> bool:
    """Services match the whole value, whether a pattern has anchors or not."""
    compiled = _compiled(pattern)
    return compiled is None or compiled.fullmatch(value) is not None


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
