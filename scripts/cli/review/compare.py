"""Compare two templates, and find the action of CloudFormation on each resource."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from config.records import copied
from scripts.cloud.template.errors import ResourceFailedError
from scripts.cloud.template.schema import value_at
from scripts.cloud.template.updates import NEEDS_REPLACEMENT, PropertyChange, effect_of, property_changes
from scripts.cloud.validation import Problem

from .errors import UnusableError
from .evaluated import Evaluated, said
from .layers import layer_of
from .model import ACTIONS, Action, Change, Edit, Policy
from .symbols import made_anew, shown
from .validity import JUDGED, Resources
from .waivers import waivers_of

# attributes of a resource that CloudFormation reads itself and does not send to the service
_ATTRIBUTES = (
    "Condition",
    "CreationPolicy",
    "DeletionPolicy",
    "DependsOn",
    "Metadata",
    "UpdatePolicy",
    "UpdateReplacePolicy",
)
# attributes that change when the resource is changed in place
_MOVING: Mapping[str, tuple[str, ...]] = {"AWS::EC2::LaunchTemplate": ("LatestVersionNumber",)}
_SECRET = ("password", "secretstring", "authtoken")
_NOT_SHOWN = "(not shown)"
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-attribute-deletionpolicy.html
_DB_CLUSTER, _DB_INSTANCE = "AWS::RDS::DBCluster", "AWS::RDS::DBInstance"


@dataclass(frozen=True)
class Comparison:
    """Both templates, with the evaluated properties of every resource.

    `faults` has the problems of each resource that is created or changed. `spoilt` has the problems that a
    change causes in unchanged resources. Both also contain the problems that the new template waives.
    """

    old: Evaluated
    new: Evaluated
    before: dict[str, dict[str, Any]] = field(default_factory=dict)
    after: dict[str, dict[str, Any]] = field(default_factory=dict)
    changes: dict[str, Change] = field(default_factory=dict)
    faults: dict[str, list[Problem]] = field(default_factory=dict)
    spoilt: dict[str, list[Problem]] = field(default_factory=dict)

    def of_kind(self, *kinds: str) -> Iterator[Change]:
        """Yield the changes of resources with these types."""
        return (change for change in self.changes.values() if change.type in kinds)


def compare(old: Evaluated, new: Evaluated) -> Comparison:
    """Return every change in the order of CloudFormation; removals are last."""
    found = Comparison(old, new)
    _evaluate_all(found)
    for logical_id in new.order:
        change = _change(found, logical_id)
        if change is None:
            continue
        found.changes[logical_id] = change
        if change.action in (Action.REPLACE, Action.ADD) or _would_be_replaced(change):
            new.symbols.fresh.add(logical_id)
        elif change.edits:
            new.symbols.moved |= {(logical_id, name) for name in _MOVING.get(change.type, ())}
    for logical_id in old.order:
        if logical_id not in found.after:
            found.changes[logical_id] = _removal(found, logical_id)
    if found.changes:
        _judge(found)
    return found


def _judge(found: Comparison) -> None:
    """Find the problems of changed resources, and those that a change causes in unchanged resources."""
    old = Resources(found.old.region, {n: found.old.kind(n) for n in found.before}, found.before)
    removed = {n: properties for n, properties in found.before.items() if n not in found.after}
    kinds = {**{n: old.kinds[n] for n in removed}, **{n: found.new.kind(n) for n in found.after}}
    new = Resources(found.new.region, kinds, {**found.after, **removed}, waivers_of(found.new.template))
    for logical_id in found.after:
        change = found.changes.get(logical_id)
        touched = change is not None and (change.edits or change.action is Action.ADD)
        if not touched and kinds[logical_id] not in JUDGED:
            continue
        faults = new.faults(logical_id)
        if touched and faults and change is not None:
            found.faults[logical_id] = faults
            rejected = tuple(
                str(shown(f"{f.path}: {f.message}".removeprefix(": ")))
                for f in faults
                if f.waived is None and f.refuses
            )
            if rejected:
                found.changes[logical_id] = replace(
                    change, action=Action.REFUSED, policy=None, faults=rejected
                )
        elif faults and not old.faults(logical_id):
            found.spoilt[logical_id] = faults


def _would_be_replaced(change: Change) -> bool:
    """Return whether the update is rejected because a replacement would need a name that is still in use."""
    return change.action is Action.REFUSED and str(change.reason).startswith(NEEDS_REPLACEMENT)


def _evaluate_all(found: Comparison) -> None:
    """Evaluate both templates, assuming that no resource is replaced; raises an error with all problems."""
    problems = []
    for side, properties in ((found.old, found.before), (found.new, found.after)):
        which = "old" if side is found.old else "new"
        for logical_id in side.order:
            try:
                properties[logical_id] = side.properties(logical_id)
            except ResourceFailedError as error:
                problems.append(f"the {which} template: {logical_id}: {said(error)}")
    if problems:
        raise UnusableError(problems)


def _change(found: Comparison, logical_id: str) -> Change | None:
    kind = found.new.kind(logical_id)
    if logical_id not in found.before:
        return _made(logical_id, kind, Action.ADD)
    if found.old.kind(logical_id) != kind:
        return _made(logical_id, kind, Action.REFUSED)
    if found.new.symbols.fresh or found.new.symbols.moved:
        found.after[logical_id] = found.new.properties(logical_id)
    before, after = found.before[logical_id], found.after[logical_id]
    changes = [] if before == after else property_changes(found.new.region, kind, before, after)
    attributes = _attributes(found, logical_id)
    if not changes:
        return _made(logical_id, kind, Action.UNTOUCHED, attributes=attributes) if attributes else None
    action = ACTIONS[effect_of(changes)]
    edits = tuple(_edit(change, before, after) for change in changes)
    replaced = action is Action.REPLACE
    return _made(
        logical_id,
        kind,
        action,
        edits=edits,
        attributes=attributes,
        policy=_policy(found.new.declared(logical_id), "UpdateReplacePolicy") if replaced else None,
        variant=after.get("FileSystemType"),
        because=tuple(dict.fromkeys(name for edit in edits for name in edit.because)),
    )


def _made(logical_id: str, kind: str, action: Action, **more: Any) -> Change:
    return Change(logical_id=logical_id, type=kind, layer=layer_of(logical_id), action=action, **more)


def _edit(change: PropertyChange, before: Mapping[str, Any], after: Mapping[str, Any]) -> Edit:
    was, will = value_at(before, change.path), value_at(after, change.path)
    return copied(
        Edit,
        change,
        before=_reported(change.path, was),
        after=_reported(change.path, will),
        reason=shown(change.reason),
        because=tuple(dict.fromkeys(made_anew(will))),
    )


def _reported(path: tuple[str, ...], value: Any) -> Any:
    """Return a value for a pull request, with secrets masked."""
    secret = any(part.lower().endswith(_SECRET) for part in path)
    return _NOT_SHOWN if secret and value is not None else shown(value)


def _attributes(found: Comparison, logical_id: str) -> tuple[str, ...]:
    was, will = found.old.declared(logical_id), found.new.declared(logical_id)
    return tuple(name for name in _ATTRIBUTES if was.get(name) != will.get(name))


def _removal(found: Comparison, logical_id: str) -> Change:
    kind = found.old.kind(logical_id)
    declared = found.old.declared(logical_id)
    policy = _policy(declared, "DeletionPolicy")
    if "DeletionPolicy" not in declared and _has_snapshot(kind, found.before[logical_id]):
        policy = Policy.SNAPSHOT
    action = Action.RETAIN if policy is Policy.RETAIN else Action.DELETE
    return _made(logical_id, kind, action, policy=policy)


def _has_snapshot(kind: str, properties: Mapping[str, Any]) -> bool:
    """Return whether a resource without a deletion policy is deleted with a snapshot."""
    return kind == _DB_CLUSTER or (kind == _DB_INSTANCE and "DBClusterIdentifier" not in properties)


def _policy(declared: Mapping[str, Any], attribute: str) -> Policy:
    written = str(declared.get(attribute, "Delete"))
    if written.startswith("Retain"):
        return Policy.RETAIN
    return Policy.SNAPSHOT if written == "Snapshot" else Policy.DELETE
