"""The lock file of the release archives, with one field for each line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from config.catalog.files import paths

LOCK = paths()["artefacts"]


def read_lock(path: Path = LOCK) -> dict[str, Any]:
    """Read the file."""
    found: dict[str, Any] = json.loads(path.read_bytes())
    return found


def write_lock(document: Mapping[str, Any], path: Path = LOCK) -> None:
    """Write the file."""
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
