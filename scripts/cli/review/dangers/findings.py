"""What is wrong with each change of a resource: data lost, refused, interrupted, unprotected."""

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
from scripts.cli.review.words import fate, put_back, roots, step, why
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
_LATER = "choose a time when nothing runs"
_HINTS: dict[Topic | None, str] = {
    Topic.DATA_EXPIRES: "export what is still wanted first, or keep the retention",
    Topic.NEW_NODES_ONLY: "replace the nodes when it suits, a few at a time",
    Topic.NODES_REPLACED: f"{_LATER}, and save what is on the nodes' disks",
    Topic.NODES_REMOVED: f"{_LATER} on these nodes",
}
_KEEPING = ("DeletionPolicy", "UpdateReplacePolicy")
_BESIDE = "or make the new one under another `name:` beside this one, copy, and take this one down afterwards"


def diagnostic(code: Code, path: str, message: str, hint: str, source: str | None = None) -> Diagnostic:
    """A finding with its code's severity; its source is the code's where no closer one is known."""
    return Diagnostic(
        code=code.code,
        severity=code.severity,
        path=path,
        message=message,
        hint=hint,
        source=source or code.source,
    )


def resource_findings(found: Comparison) -> Iterator[Diagnostic]:
    """Everything that the changes of single resources show."""
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
        f"{change.type} is replaced ({edits}): {fate(change, loss)}; the new one is empty",
        f"{put_back(causes)}, {_BESIDE}",
        change.source,
    )


def _may_be_replaced(found: Comparison, change: Change) -> Iterator[Diagnostic]:
    if change.type in STATEFUL and change.action is Action.MAY_REPLACE:
        yield diagnostic(
            codes.MAY_BE_REPLACED,
            change.logical_id,
            f"{change.type} may be replaced: {'; '.join(step(edit) for edit in change.deciding)}",
            "look the property up in the type's reference; a change set tells for the deployed stack",
        )


def _removed(found: Comparison, change: Change) -> Iterator[Diagnostic]:
    loss = STATEFUL.get(change.type)
    if loss is None or change.action not in (Action.DELETE, Action.RETAIN):
        return
    if change.policy is Policy.RETAIN:
        yield diagnostic(
            codes.STATEFUL_LEFT,
            change.logical_id,
            f"{change.type} leaves the stack: it stays where it is, unmanaged and billing",
            "delete it by hand when its data is no longer needed, or import it into another stack",
        )
        return
    kept = "and a snapshot is all that stays" if change.policy is Policy.SNAPSHOT else f"and {loss} with it"
    yield diagnostic(
        codes.STATEFUL_DELETED,
        change.logical_id,
        f"{change.type} is deleted, {kept}",
        "put it back; or deploy it once with `DeletionPolicy: Retain`, and take it out after that",
    )


def _refused(found: Comparison, change: Change) -> Iterator[Diagnostic]:
    if change.action is not Action.REFUSED:
        return
    if _is_other_type(found, change):
        was = found.old.kind(change.logical_id)
        yield diagnostic(
            codes.OTHER_TYPE,
            change.logical_id,
            f"the type changes from {was} to {change.type}: CloudFormation refuses the whole update",
            "give the new resource another logical id",
        )
    for edits in _alike(change.deciding):
        edit, path, message = edits[0], *_told(change, edits)
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
        return  # nothing of this happens
    for edits in _alike(e for e in change.edits if e.topic or e.effect is Effect.INTERRUPTION):
        edit, path, message = edits[0], *_told(change, edits)
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
    """Edits of which the same is to be said, together."""
    alike: dict[tuple[Topic | None, str | None], list[Edit]] = {}
    for edit in edits:
        alike.setdefault((edit.topic, edit.reason), []).append(edit)
    return alike.values()


def _told(change: Change, edits: list[Edit]) -> tuple[str, str]:
    """The place and the sentence of one edit, or of several."""
    if len(edits) == 1:
        return f"{change.logical_id}/{edits[0].name}", why(edits[0])
    return change.logical_id, f"{listed(edit.name for edit in edits)}: {edits[0].reason}"


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
            f"put {' and '.join(lost)} back; `disposable: true` in a profile takes them away on purpose",
        )
    guard = PROTECTIONS.get(change.type, "")
    was, will = (bool(side[change.logical_id].get(guard)) for side in (found.before, found.after))
    if was and not will:
        yield diagnostic(
            codes.PROTECTION_REMOVED,
            f"{change.logical_id}/{guard}",
            f"{change.type} is no longer protected against deletion",
            f"put `{guard}: true` back",
        )


def _keeps(policy: object) -> bool:
    return str(policy).startswith("Retain") or policy == "Snapshot"


def _unknown(found: Comparison, change: Change) -> Iterator[Diagnostic]:
    if change.type in NO_SCHEMA or known_schema(found.new.region, change.type):
        return
    yield diagnostic(
        codes.UNKNOWN_TYPE,
        change.logical_id,
        f"no schema is known for {change.type}: what is said of its properties is a guess",
        "look its properties up in the reference; a change set tells for the deployed stack",
    )


def _not_valid(found: Comparison, change: Change) -> Iterator[Diagnostic]:
    for fault in found.faults.get(change.logical_id, ()):
        says = "is refused" if fault.refuses else "is unwise"
        told = _fault(change.logical_id, fault, f"{change.type} {says}: {shown(fault.message)}")
        yield replace(told, severity=Severity.ERROR if fault.refuses else Severity.WARNING)


def _spoilt(found: Comparison) -> Iterator[Diagnostic]:
    """What stays as it is, but would not be made so beside what changes."""
    for logical_id, faults in found.spoilt.items():
        for fault in faults:
            kind = found.new.kind(logical_id)
            message = f"{kind} stays, but beside what changes it no longer fits: {shown(fault.message)}"
            yield replace(_fault(logical_id, fault, message), severity=Severity.WARNING)


def _fault(logical_id: str, fault: Problem, message: str) -> Diagnostic:
    told = diagnostic(
        CODES.get(fault.code or "", codes.NOT_TAKEN if fault.source else codes.NOT_VALID),
        f"{logical_id}/{fault.path}" if fault.path else logical_id,
        message,
        fault.hint or "write what the service takes",
        fault.source or None,
    )
    return replace(told, waived=fault.waived)


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
