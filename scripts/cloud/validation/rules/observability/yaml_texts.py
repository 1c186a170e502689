"""YAML that stands as text in a property."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read(text: object) -> Any:
    """A YAML text as data; None for what is none."""
    if not isinstance(text, str):
        return None
    try:
        return yaml.load(text, _LOADER)
    except yaml.YAMLError:
        return None


def listed(value: Any) -> list[Mapping[str, Any]]:
    """The mappings of a list, whatever it is."""
    items = value if isinstance(value, Sequence) and not isinstance(value, str) else ()
    return [item for item in items if isinstance(item, Mapping)]
