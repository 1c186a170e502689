"""How long an action on a resource takes on AWS, for the simulated clock."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import yaml

Action = Literal["create", "update", "delete"]
_PATH = Path(__file__).parent / "data" / "durations.yaml"


@lru_cache(maxsize=1)
def _data() -> Mapping[str, Any]:
    data: Mapping[str, Any] = yaml.safe_load(_PATH.read_text(encoding="utf-8"))
    return data


def stated_s(resource_type: str, action: str) -> float | None:
    """Seconds that a source tells; None where none does."""
    seconds = _data()["types"].get(resource_type, {}).get(f"{action}_s")
    return None if seconds is None else float(seconds)


def duration_s(resource_type: str, action: Action) -> float:
    """Seconds that the action takes."""
    data = _data()
    row = data["types"].get(resource_type, {})
    return float(row.get(f"{action}_s", data["default"][f"{action}_s"]))


def is_unpublished(resource_type: str, action: str) -> bool:
    """Whether the action is known to take its time, and no source tells how long."""
    return action in _data()["unpublished"].get(resource_type, ())
