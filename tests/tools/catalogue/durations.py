"""Checks of the durations: what their reader takes on trust."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import get_args

from config.catalog.durations import Action
from config.catalog.files import Row

Faults = Iterator[tuple[str, str, str]]

_ACTIONS = frozenset(get_args(Action))
_FIGURES = frozenset(f"{action}_s" for action in _ACTIONS)


def duration_faults(document: Row) -> Faults:
    """Row, field and message of everything wrong with the figures, but for their sources."""
    for name, row in document["rows"].items():
        yield from _figures(name, row)
    for name, actions in document["unpublished"].items():
        for action in actions:
            if action not in _ACTIONS:
                yield name, "unpublished", f"{action} is no action"
            if f"{action}_s" in document["rows"].get(name, {}):
                yield name, "unpublished", f"{action} has a figure"
    yield from _waits(document)
    yield from _longer(document)


def _figures(name: str, row: Row) -> Faults:
    for field in sorted(set(row) - _FIGURES - {"said", "sources"}):
        yield name, field, "is not a known field"
    declared = sorted(_FIGURES & set(row))
    if not declared:
        yield name, "create_s", "no action has a figure"
    for field in declared:
        if not row[field] > 0:
            yield name, field, f"{row[field]} is no time"


def _waits(document: Row) -> Faults:
    slow = {name for name, row in document["rows"].items() if "create_s" in row}
    slow |= {name for name, actions in document["unpublished"].items() if "create" in actions}
    counts = Counter((row["of"], row["on"]) for row in document["waits"])
    for row in document["waits"]:
        name = f"{row['of']} on {row['on']}"
        for field in ("of", "on"):
            if row[field] not in slow:
                yield name, field, f"nothing is known of how long {row[field]} takes to be made"
        if not row["because"]:
            yield name, "because", "has no reason"
        if counts[row["of"], row["on"]] > 1:
            yield name, "of", "is there twice"


def _longer(document: Row) -> Faults:
    known = {(row["of"], row["on"]) for row in document["waits"]}
    for row in document["longer"]:
        name = " then ".join(row["chain"])
        for on, of in pairwise(row["chain"]):
            if (of, on) not in known:
                yield name, "chain", f"{of} waits for no {on}"
        if not row["because"]:
            yield name, "because", "has no reason"
