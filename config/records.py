"""Create records that copy attributes of another object under the same names."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

T = TypeVar("T")


def copied(kind: type[T], source: object, /, **other: Any) -> T:
    """Return a record of `kind`. Fields that are not in `other` are copied from attributes of `source`."""
    names = (field.name for field in fields(kind) if field.name not in other)  # type: ignore[arg-type]  # T is a dataclass
    return kind(**{name: getattr(source, name) for name in names}, **other)
