"""Findings for PCS queues that are deleted or renamed, which stops their jobs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from config.diagnostics import Diagnostic
from config.review import codes
from scripts.cli.review.compare import Comparison
from scripts.cli.review.model import Action, Change
from scripts.cli.review.symbols import shown

from .findings import diagnostic

_QUEUE = "AWS::PCS::Queue"
_WAIT = "wait until the queue has no running and no waiting jobs"


def queue_findings(found: Comparison) -> Iterator[Diagnostic]:
    """Yield a finding for each deleted or replaced queue, with the new queues that use the same groups."""
    added = [change for change in found.of_kind(_QUEUE) if change.action is Action.ADD]
    for change in found.of_kind(_QUEUE):
        if change.action is Action.DELETE:
            old = found.before[change.logical_id]
            heirs = [a for a in added if _groups(found.after[a.logical_id]) & _groups(old)]
            yield _jobs_end(change, _name(old), [_name(found.after[heir.logical_id]) for heir in heirs])
        elif change.action is Action.REPLACE:
            yield _jobs_end(
                change, _name(found.before[change.logical_id]), [_name(found.after[change.logical_id])]
            )


def _jobs_end(change: Change, name: str, heirs: list[str]) -> Diagnostic:
    beside = f"; these jobs do not move to the new queue {' and '.join(heirs)}" if heirs else ""
    hint = (
        f"keep the name {name}; or add the new queue to `orchestrator.queues`, and remove queue {name} when "
        "it has no running and no waiting jobs"
        if heirs and heirs != [name]
        else f"restore queue {name}, or {_WAIT}"
    )
    return diagnostic(
        codes.JOBS_ENDED,
        change.logical_id,
        f"queue {name} is deleted: PCS stops its running jobs and cancels its waiting jobs{beside}",
        hint,
    )


def _name(properties: Any) -> str:
    return str(shown(properties.get("Name")))


def _groups(properties: Any) -> set[str]:
    listed = properties.get("ComputeNodeGroupConfigurations")
    return {str(one.get("ComputeNodeGroupId")) for one in listed or () if isinstance(one, dict)}
