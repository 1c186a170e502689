"""In which order a report tells of changes: what loses or breaks something, then the rest by layer."""

from __future__ import annotations

from collections.abc import Iterator

from .layers import LAYERS, OTHER
from .model import Action, Change, Review

_DANGEROUS = (
    Action.REFUSED,
    Action.REPLACE,
    Action.DELETE,
    Action.MAY_REPLACE,
    Action.INTERRUPTION,
    Action.RETAIN,
)


def dangerous(review: Review) -> list[Change]:
    """What is refused, replaced, deleted, interrupted or left behind."""
    return [change for change in review.changes if change.action in _DANGEROUS]


def by_layer(review: Review) -> Iterator[tuple[str, list[Change]]]:
    """The other changes, layer by layer, in the order in which a cluster stands."""
    for layer in (*LAYERS, OTHER):
        found = [c for c in review.changes if c.layer == layer and c.action not in _DANGEROUS]
        if found:
            yield layer, found
