"""Lock file format: one field on each line, so that a diff shows the change of one chart."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from config.catalog.files import paths

LOCK = paths()["charts"]
_WIDTH = 110


def read_lock(path: Path = LOCK) -> dict[str, Any]:
    """Return the parsed file."""
    found: dict[str, Any] = json.loads(path.read_bytes())
    return found


def write_lock(document: Mapping[str, Any], path: Path = LOCK) -> None:
    """Write the file."""
    path.write_text(rendered(document))


def rendered(document: Mapping[str, Any]) -> str:
    """Return the text of the file."""
    return _text(document, "", levels=3) + "\n"


def _text(value: Any, indent: str, levels: int) -> str:
    line = json.dumps(value, ensure_ascii=False)
    inner = indent + "  "
    if not value or not isinstance(value, dict | list):
        return line
    if levels <= 0 and len(inner) + len(line) <= _WIDTH:
        return line
    if isinstance(value, dict):
        items = [f"{json.dumps(key)}: {_text(item, inner, levels - 1)}" for key, item in value.items()]
    else:
        items = [_text(item, inner, 0) for item in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{inner}" + f",\n{inner}".join(items) + f"\n{indent}{closing}"
