"""Layer of a resource, from its logical id."""

from __future__ import annotations

from typing import Final

LAYERS: Final = ("network", "compute", "storage", "orchestration", "observability", "images")
OTHER: Final = "other"


def layer_of(logical_id: str) -> str:
    """Return the layer that the logical id starts with (ADR 3); `other` if it does not start with a layer."""
    word = logical_id.lower()
    return next((layer for layer in LAYERS if word.startswith(layer)), OTHER)
