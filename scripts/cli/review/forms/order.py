"""Sort the changes of a report: first those that lose or break something, then all others by layer."""

from __future__ import annotations

from collections.abc import Iterator

from scripts.cli.review.layers import LAYERS, OTHER
from scripts.cli.review.model import Action, Change, Review

_DANGEROUS = (
    Action.REFUSED,
    Action.REPLACE,
    Action.DELETE,
    Action.MAY_REPLACE,
    Action.INTERRUPTION,
    Action.RETAIN,
)


def dangerous(review: Review) -> tuple[list[Change], list[Change]]:
    """Return the dangerous changes in two lists: causes, and changes that only follow from a replacement.

    When a network is replaced, nearly all resources of a cluster are replaced too. The reviewer decides on
    the few changes at the start, and on those that a finding names.
    """
    named = {name for found in review.diagnostics for name in found.path.partition("/")[0].split(", ")}
    dangerous_changes = [change for change in review.changes if change.action in _DANGEROUS]
    following = [
        change for change in dangerous_changes if change.logical_id not in named and _follows(change)
    ]
    return [change for change in dangerous_changes if change not in following], following


def by_layer(review: Review) -> Iterator[tuple[str, list[Change]]]:
    """Yield the other changes, layer by layer, in the order in which a cluster is created."""
    for layer in (*LAYERS, OTHER):
        found = [c for c in review.changes if c.layer == layer and c.action not in _DANGEROUS]
        if found:
            yield layer, found


def _follows(change: Change) -> bool:
    """Return whether a change is a replacement that only follows from another replacement."""
    deciding = change.deciding
    return change.action is Action.REPLACE and bool(deciding) and all(edit.because for edit in deciding)
