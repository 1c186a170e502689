"""Findings for renamed resources: CloudFormation deletes the old logical id and creates the new one."""

from __future__ import annotations

from collections.abc import Iterator

from config.diagnostics import Diagnostic
from config.review import codes
from config.review.stateful import STATEFUL
from scripts.cli.review.compare import Comparison
from scripts.cli.review.model import Action, Policy
from scripts.cli.review.symbols import shown, without_ids
from scripts.cloud.template.names import Held, held

from .findings import diagnostic


def rename_findings(found: Comparison) -> Iterator[Diagnostic]:
    """Yield a finding for each new resource that has the properties or the name of a removed resource."""
    removed = [c for c in found.changes.values() if c.action in (Action.DELETE, Action.RETAIN)]
    renamed = renames(found)
    for change in (c for c in found.changes.values() if c.action is Action.ADD):
        for old in (c for c in removed if c.type == change.type):
            kept = _still_held(found, old.logical_id, change.logical_id)
            if kept is not None:
                yield diagnostic(
                    codes.NAME_TAKEN,
                    change.logical_id,
                    f"{change.type} needs {shown(kept.value)}, which {old.logical_id} still has when "
                    f"{change.logical_id} is created",
                    f"keep the logical id {old.logical_id}, or remove {old.logical_id} in an earlier "
                    "deployment",
                    kept.source,
                )
        old_id, loss = renamed.get(change.logical_id), STATEFUL.get(change.type)
        if old_id is None or loss is None:
            continue
        retained = found.changes[old_id].policy is Policy.RETAIN
        fate = "is retained, unmanaged and still billed" if retained else f"is deleted, and you lose {loss}"
        yield diagnostic(
            codes.STATEFUL_RENAMED,
            change.logical_id,
            f"the logical id of {change.type} changes from {old_id} to {change.logical_id}: "
            f"the new resource is empty; the old resource {fate}",
            f"keep the logical id {old_id}, or retain the resource and import it as {change.logical_id}",
        )


def renames(found: Comparison) -> dict[str, str]:
    """Return the old logical id of each renamed resource by its new id; type and properties are equal."""
    moved = [c for c in found.changes.values() if c.action in (Action.ADD, Action.DELETE, Action.RETAIN)]
    kinds = {change.logical_id: f"<{change.type}>" for change in moved}
    old = {
        (c.type, without_ids(found.before[c.logical_id], kinds)): c.logical_id
        for c in reversed(moved)
        if c.action is not Action.ADD
    }
    pairs: dict[str, str] = {}
    for change in (c for c in moved if c.action is Action.ADD):
        key = (change.type, without_ids(found.after[change.logical_id], kinds))
        if key in old:
            pairs[change.logical_id] = old.pop(key)
    return pairs


def _still_held(found: Comparison, old_id: str, new_id: str) -> Held | None:
    region, kind = found.new.region, found.new.kind(new_id)
    taken = {thing.key for thing in held(region, kind, found.before[old_id])}
    return next((thing for thing in held(region, kind, found.after[new_id]) if thing.key in taken), None)
