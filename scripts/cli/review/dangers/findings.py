"""Findings for the change of a single resource, such as lost data or an interruption."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from config.diagnostics import Code, Diagnostic, Severity
from config.review import codes
from config.review.stateful import PROTECTIONS, STATEFUL
from config.rules.codes import CODES
from scripts.cli.review.compare import Comparison
from scripts.cli.review.model import Action, Change, Edit, Policy
from scripts.cli.review.names import listed
from scripts.cli.review.symbols import shown
from scripts.cli.review.texts import fate, put_back, roots, step, why
from scripts.cloud.template.names import CUSTOM_NAMES
from scripts.cloud.template.provider_schemas import known_schema
from scripts.cloud.template.schema import NO_SCHEMA
from scripts.cloud.template.updates import Effect, Topic
from scripts.cloud.validation import Problem

_TOPICS = {
    Topic.NODES_REPLACED: codes.NODES_REPLACED,
    Topic.NODES_REMOVED: codes.NODES_REMOVED,
    Topic.NEW_NODES_ONLY: codes.NEW_NODES_ONLY,
    Topic.DATA_EXPIRES: codes.DATA_EXPIRES,
    Topic.LEFT_BEHIND: codes.LEFT_BEHIND,
}
_LATER = "deploy when no job runs"
_HINTS: dict[Topic | None, str] = {
    Topic.DATA_EXPIRES: "export the data that you still need first, or keep the retention period",
    Topic.NEW_NODES_ONLY: "replace the nodes a few at a time",
    Topic.NODES_REPLACED: f"{_LATER}, and save the data on the nodes' disks",
    Topic.NODES_REMOVED: f"{_LATER} on these nodes",
}
_UNCERTAIN = (
    "read the reference of the resource type, or create a change set to see the effect on the deployed stack"
)
_KEEPING = ("DeletionPolicy", "UpdateReplacePolicy")
_BESIDE = "or deploy a second cluster under another `name`, copy the data, and delete this cluster afterwards"


def diagnostic(code: Code, path: str, message: str, hint: str, source: str | None = None) -> Diagnostic:
    """Return a finding with the severity of its code and, if `source` is None, the source of its code."""
    return Diagnostic(
        code=code.code,
        severity=code.severity,
        path=path,
        message=message,
        hint=hint,
        source=source or code.source,
    )


def resource_findings(found: Comparison) -> Iterator[Diagnostic]:
    """Yield the findings for the changes of single resources."""
    for change in found.changes.values():
        for look in _LOOKS:
            yield from look(found, change)
    yield from _spoilt(found)


def _replaced(found: Comparison, change: Change) -> Iterator[Diagnostic]:
    loss = STATEFUL.get(change.type)
    if loss is None or change.action is not Action.REPLACE:
        return
    causes = roots(change, found.changes)
    edits = "; ".join(step(edit) for edit in change.deciding)
    yield diagnostic(
        codes.STATEFUL_REPLACED,
        change.logical_id,
        f"{change.type} is replaced ({edits}): the new resource is empty; {fate(change, loss)}",
        f"{put_back(causes)}, {_BESIDE}",
        change.source,
    )


def _may_be_replaced(found: Comparison, change: Change) -> Iterator[Diagnostic]:
    if change.type in STATEFUL and change.action is Action.MAY_REPLACE:
        yield diagnostic(
            codes.MAY_BE_REPLACED,
            change.logical_id,
            f"{change.type} may be replaced ({'; '.join(step(edit) for edit in change.deciding)})",
            _UNCERTAIN,
        )


def _removed(found: Comparison, change: Change) -> Iterator[Diagnostic]:
    loss = STATEFUL.get(change.type)
    if loss is None or change.action not in (Action.DELETE, Action.RETAIN):
        return
    if change.policy is Policy.RETAIN:
        yield diagnostic(
            codes.STATEFUL_LEFT,
            change.logical_id,
            f"{change.type} is removed from the stack: the resource is retained, unmanaged and still billed",
            "delete the resource when its data is no longer needed, or import it into another stack",
        )
        return
    kept = "only a snapshot is retained" if change.policy is Policy.SNAPSHOT else f"you lose {loss}"
    yield diagnostic(
        codes.STATEFUL_DELETED,
        change.logical_id,
        f"{change.type} is deleted, and {kept}",
        "add the resource again, or deploy it once with `DeletionPolicy: Retain` before you remove it",
    )


def _refused(found: Comparison, change: Change) -> Iterator[Diagnostic]:
    if change.action is not Action.REFUSED:
        return
    if _is_other_type(found, change):
        was = found.old.kind(change.logical_id)
        yield diagnostic(
            codes.OTHER_TYPE,
            change.logical_id,
            f"the type changes from {was} to {change.type}: CloudFormation rejects the whole update",
            "use another logical id for the new resource",
        )
    for edits in _alike(change.deciding):
        edit, path, message = edits[0], *_reported(change, edits)
        hint = put_back(roots(change, found.changes))
        yield diagnostic(
            codes.NAME_TAKEN if edit.source == CUSTOM_NAMES else codes.REFUSED,
            path,
            message,
            f"{hint}, or {edit.hint}" if edit.hint else hint,
            edit.source,
        )


def _interrupted(found: Comparison, change: Change) -> Iterator[Diagnostic]:
    if change.action in (Action.REFUSED, Action.REPLACE):
        return  # the change does not take place in the old resource
    for edits in _alike(e for e in change.edits if e.topic or e.effect is Effect.INTERRUPTION):
        edit, path, message = edits[0], *_reported(change, edits)
        yield diagnostic(
            _TOPICS[edit.topic] if edit.topic else codes.INTERRUPTED,
            path,
            message,
            edit.hint or _HINTS.get(edit.topic, f"{_LATER}, or {put_back([(change, edit)])}"),
            edit.source,
        )


def _is_other_type(found: Comparison, change: Change) -> bool:
    known = change.logical_id in found.before and change.logical_id in found.after
    return known and found.old.kind(change.logical_id) != change.type


def _alike(edits: Iterable[Edit]) -> Iterable[list[Edit]]:
    """Group the edits that have the same topic and reason."""
    alike: dict[tuple[Topic | None, str | None], list[Edit]] = {}
    for edit in edits:
        alike.setdefault((edit.topic, edit.reason), []).append(edit)
    return alike.values()


def _reported(change: Change, edits: list[Edit]) -> tuple[str, str]:
    """Return the path and the message of one edit or of several edits."""
    if len(edits) == 1:
        return f"{change.logical_id}/{edits[0].name}", why(edits[0])
    return change.logical_id, f"{listed(edit.name for edit in edits)} change: {edits[0].reason}"


def _unprotected(found: Comparison, change: Change) -> Iterator[Diagnostic]:
    if change.logical_id not in found.before or change.logical_id not in found.after:
        return
    old, new = found.old.declared(change.logical_id), found.new.declared(change.logical_id)
    lost = [name for name in _KEEPING if _keeps(old.get(name)) and not _keeps(new.get(name))]
    if change.type in STATEFUL and lost:
        yield diagnostic(
            codes.PROTECTION_REMOVED,
            change.logical_id,
            f"{change.type} loses its {' and '.join(lost)} ({listed(str(old[name]) for name in lost)})",
            f"restore {' and '.join(lost)}, unless the stack may delete its data (`disposable: true`)",
        )
    guard = PROTECTIONS.get(change.type, "")
    was, will = (bool(side[change.logical_id].get(guard)) for side in (found.before, found.after))
    if was and not will:
        yield diagnostic(
            codes.PROTECTION_REMOVED,
            f"{change.logical_id}/{guard}",
            f"{change.type} is no longer protected against deletion",
            f"set `{guard}: true` again",
        )


def _keeps(policy: object) -> bool:
    return str(policy).startswith("Retain") or policy == "Snapshot"


def _unknown(found: Comparison, change: Change) -> Iterator[Diagnostic]:
    if change.type in NO_SCHEMA or known_schema(found.new.region, change.type):
        return
    yield diagnostic(
        codes.UNKNOWN_TYPE,
        change.logical_id,
        f"no schema is known for {change.type}, so the reported effect of its properties may be wrong",
        _UNCERTAIN,
    )


def _not_valid(found: Comparison, change: Change) -> Iterator[Diagnostic]:
    for fault in found.faults.get(change.logical_id, ()):
        says = "is rejected" if fault.refuses else "is not recommended"
        subject = f"{fault.path} of {change.type}" if fault.path else change.type
        finding = _fault(change.logical_id, fault, f"{subject} {says}: {shown(fault.message)}")
        yield replace(finding, severity=Severity.ERROR if fault.refuses else Severity.WARNING)


def _spoilt(found: Comparison) -> Iterator[Diagnostic]:
    """Yield the problems that a changed resource causes in unchanged resources."""
    for logical_id, faults in found.spoilt.items():
        for fault in faults:
            kind = found.new.kind(logical_id)
            message = (
                f"{kind} does not change, but it no longer fits the changed resources: {shown(fault.message)}"
            )
            yield replace(_fault(logical_id, fault, message), severity=Severity.WARNING)


def _fault(logical_id: str, fault: Problem, message: str) -> Diagnostic:
    finding = diagnostic(
        CODES.get(fault.code or "", codes.NOT_TAKEN if fault.source else codes.NOT_VALID),
        f"{logical_id}/{fault.path}" if fault.path else logical_id,
        message,
        fault.hint or "use a value that the service accepts",
        fault.source or None,
    )
    return replace(finding, waived=fault.waived)


_LOOKS: tuple[Callable[[Comparison, Change], Iterator[Diagnostic]], ...] = (
    _replaced,
    _may_be_replaced,
    _removed,
    _refused,
    _interrupted,
    _unprotected,
    _unknown,
    _not_valid,
)
