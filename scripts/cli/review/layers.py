"""Which layer of a cluster a resource belongs to."""

from __future__ import annotations

from typing import Final

LAYERS: Final = ("network", "compute", "storage", "orchestration", "observability", "images")
OTHER: Final = "other"


def layer_of(logical_id: str) -> str:
    """The layer that the logical id starts with; `other` for none (ADR 3: ids start with their layer)."""
    word = logical_id.lower()
    return next((layer for layer in LAYERS if word.startswith(layer)), OTHER)
