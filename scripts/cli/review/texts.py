"""Sentences that several findings share."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from scripts.cloud.template.schema import changed_paths, value_at
from scripts.cloud.template.updates import NEEDS_REPLACEMENT

from .keys import DERIVED, key_of
from .model import Action, Change, Edit, Policy
from .names import listed

_LONGEST = 60
_CONTEXT = 12
_ID_OF_NEW = re.compile(r"\$\{([A-Za-z0-9]+)(?:\.(?:Arn|[A-Za-z]*Id))? \(new\)\}")


def value(side: Any) -> str:
    """Return a value in one short line."""
    return _shortened(_text(side))


def values(was: Any, will: Any) -> str:
    """Return two values in one line; long values are cut so that they start shortly before they differ."""
    old, new = _text(was), _text(will)
    pairs = enumerate(zip(old, new, strict=False))
    same = next((place for place, (a, b) in pairs if a != b), min(len(old), len(new)))
    start = same - _CONTEXT if same > _CONTEXT and max(len(old), len(new)) > _LONGEST else 0
    short = [_shortened(f"...{text[start:]}" if start else text) for text in (old, new)]
    # quotes separate a text with spaces from the message around it; a reference such as ${A (new)} has braces
    return " to ".join(
        f'"{text}"' if isinstance(side, str) and " " in text and "${" not in text else text
        for side, text in zip((was, will), short, strict=True)
    )


def _text(side: Any) -> str:
    if side is None:
        return "(not set)"
    return " ".join((side if isinstance(side, str) else json.dumps(side, ensure_ascii=False)).split())


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def step(edit: Edit) -> str:
    """Return an edit in one line: `StorageCapacity: 38400 to 19200`.

    For a list, the line has only the items that differ.
    """
    if refers := _refers(edit):
        return refers
    was, will = edit.before, edit.after
    if isinstance(was, list) and isinstance(will, list):
        removed = [item for item in was if item not in will]
        added = [item for item in will if item not in was]
        if len(removed) == len(added) == 1 and isinstance(removed[0], dict) and isinstance(added[0], dict):
            return f"{edit.name}: {_inside(removed[0], added[0])}"
        was, will = removed or None, added or None
    return f"{edit.name}: {values(was, will)}"


def _refers(edit: Edit) -> str | None:
    """Return the edit in one line if its only difference is the id of a replaced resource; otherwise None."""
    text = _text(edit.after)
    whole = _ID_OF_NEW.fullmatch(text.strip('["]'))
    if whole is None or _text(edit.before) != text.replace(" (new)", ""):
        return None
    return f"{edit.name} refers to {whole[1]}, which must be replaced"


def _inside(was: dict[str, Any], will: dict[str, Any]) -> str:
    """Return the differences between two items of a list."""
    paths = changed_paths(was, will)
    return ", ".join(
        f"{'/'.join(path)} {values(value_at(was, path), value_at(will, path))}" for path in paths
    )


def why(edit: Edit) -> str:
    """Return an edit with its effect; each value appears once."""
    reason = edit.reason or str(edit.effect)
    if all(value(side) in reason for side in (edit.before, edit.after)):
        return f"the change of {edit.name} {reason}" if reason.startswith(NEEDS_REPLACEMENT) else reason
    if isinstance(edit.before, list) and isinstance(edit.after, list):
        return f"{step(edit)}: {reason}"
    change = values(edit.before, edit.after)
    if reason.startswith(NEEDS_REPLACEMENT):
        if refers := _refers(edit):
            return f"{refers}; the change of {edit.name} {reason}"
        return f"the change of {edit.name} from {change} {reason}"
    return f"{edit.name} changes from {change}: {reason}"


def fate(change: Change, loss: str) -> str:
    """Return what happens to the old resource and its data."""
    if change.policy is Policy.RETAIN:
        return "the old resource is retained, unmanaged and still billed"
    if change.policy is Policy.SNAPSHOT:
        return f"the old resource is deleted, and only a snapshot of {loss} is retained"
    return f"the old resource is deleted, and you lose {loss}"


def roots(change: Change, changes: Mapping[str, Change]) -> list[tuple[Change, Edit | None]]:
    """Return the edits and additions that start the chain of changes that causes this change."""
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
    """Return a text on how to undo edits and additions; it names profile keys if they are known."""
    edited, added = list[str](), list[str]()
    for change, edit in causes:
        if edit is None:
            added.append(change.logical_id)
        elif edit.path[0] not in DERIVED.get(change.type, ()):
            key = key_of(change, edit)
            edited.append(f"`{key}`" if key else f"`{edit.name}` of resource `{change.logical_id}`")
    edited, added = list(dict.fromkeys(edited)), list(dict.fromkeys(added))
    undo = [f"restore the old value{'s' * (len(edited) > 1)} of {listed(edited, 4)}"] if edited else []
    undo += [f"remove {listed(added, 4)}"] if added else []
    return " and ".join(undo) or "undo the change"
