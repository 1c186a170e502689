"""YAML documents in properties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read(text: object) -> Any:
    """Parse a YAML text; None if it is not valid YAML."""
    if not isinstance(text, str):
        return None
    try:
        return yaml.load(text, _LOADER)
    except yaml.YAMLError:
        return None


def listed(value: Any) -> list[Mapping[str, Any]]:
    """Return the items of a value that are mappings; empty if the value is not a list."""
    items = value if isinstance(value, Sequence) and not isinstance(value, str) else ()
    return [item for item in items if isinstance(item, Mapping)]
