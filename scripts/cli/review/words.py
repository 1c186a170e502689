"""The sentences that several findings share."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from scripts.cloud.template.schema import changed_paths, value_at

from .keys import key_of
from .model import Action, Change, Edit, Policy
from .names import listed

_LONGEST = 60
_CONTEXT = 12


def value(side: Any) -> str:
    """A value in one short line."""
    return _shortened(_text(side))


def values(was: Any, will: Any) -> str:
    """Two values in one line; long ones from where they begin to differ."""
    old, new = _text(was), _text(will)
    pairs = enumerate(zip(old, new, strict=False))
    same = next((place for place, (a, b) in pairs if a != b), min(len(old), len(new)))
    start = same - _CONTEXT if same > _CONTEXT and max(len(old), len(new)) > _LONGEST else 0
    return " to ".join(_shortened(f"...{text[start:]}" if start else text) for text in (old, new))


def _text(side: Any) -> str:
    if side is None:
        return "nothing"
    return " ".join((side if isinstance(side, str) else json.dumps(side, ensure_ascii=False)).split())


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def step(edit: Edit) -> str:
    """An edit in one line: `StorageCapacity: 38400 to 19200`; of a list, only the items that differ."""
    was, will = edit.before, edit.after
    if isinstance(was, list) and isinstance(will, list):
        gone = [item for item in was if item not in will]
        come = [item for item in will if item not in was]
        if len(gone) == len(come) == 1 and isinstance(gone[0], dict) and isinstance(come[0], dict):
            return f"{edit.name}: {_inside(gone[0], come[0])}"
        was, will = gone or None, come or None
    return f"{edit.name}: {values(was, will)}"


def _inside(was: dict[str, Any], will: dict[str, Any]) -> str:
    """What differs between two items of a list."""
    paths = changed_paths(was, will)
    return ", ".join(
        f"{'/'.join(path)} {values(value_at(was, path), value_at(will, path))}" for path in paths
    )


def why(edit: Edit) -> str:
    """An edit and what the service does with it; the figures once."""
    reason = edit.reason or str(edit.effect)
    told = all(value(side) in reason for side in (edit.before, edit.after))
    return f"{edit.name if told else step(edit)}: {reason}"


def fate(change: Change, loss: str) -> str:
    """What becomes of the old resource and its data."""
    if change.policy is Policy.RETAIN:
        return "the old one stays, unmanaged and billing"
    if change.policy is Policy.SNAPSHOT:
        return f"the old one goes, and a snapshot is all that stays of {loss}"
    return f"the old one goes, and {loss} with it"


def roots(change: Change, changes: Mapping[str, Change]) -> list[tuple[Change, Edit | None]]:
    """The edits, and the additions, that nothing else causes and from which this change follows."""
    found: list[tuple[Change, Edit | None]] = []
    seen: set[str] = set()
    waiting = [change]
    while waiting:
        current = waiting.pop(0)
        if current.logical_id in seen:
            continue
        seen.add(current.logical_id)
        if current.action is Action.ADD:
            found.append((current, None))
        found += [(current, edit) for edit in current.deciding if not edit.because]
        followed = [name for edit in current.deciding for name in edit.because]
        waiting += [changes[name] for name in followed if name in changes]
    return found


def put_back(causes: Iterable[tuple[Change, Edit | None]]) -> str:
    """How to take edits back, in the profile's keys where they are known."""
    words = []
    for change, edit in causes:
        key = key_of(change, edit) if edit else None
        if key is not None:
            words.append(f"`{key}`")
        else:
            words.append(f"`{edit.name}` of {change.logical_id}" if edit else change.logical_id)
    named = list(dict.fromkeys(words))
    return f"put {listed(named, 4) or 'the change'} back as {'it was' if len(named) < 2 else 'they were'}"
